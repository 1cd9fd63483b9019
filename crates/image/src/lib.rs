//! Reads compiled images of CUDA kernels: PTX, cubins, and fat binaries of both.
//!
//! | item | content |
//! |---|---|
//! | [`Image`], [`Kernels`], [`Kernel`] | the kernels of an image in any format, with all data about their parameters |
//! | [`Variable`] | the global variables of an image |
//! | [`Directives`] | a kernel's requirements for a launch |
//! | [`validate`] | whether an image is safe to pass to the driver, which does not know its length |
//! | [`contents()`], [`Code`], [`Target`] | the GPUs for which an image contains code, and the drivers that load it |
//! | [`ptx`], [`cubin`], [`fatbin`] | the readers of single formats |
//! | [`dwarf`] | names, C++ types and members from debug information (feature `debug-info`) |
//! | [`mangled`] | the C++ types in a kernel's symbol; the symbol that a name refers to |
//! | `generate` | Rust structs for the kernels of an image (feature `generate`) |
//! | `header` | a C++ header of types and kernels, from Rust types or from an image (feature `header`) |
//! | `recording` | the file of a recorded launch (feature `recording`) |
//!
//! Malformed input is an error: no panic, bounded time and bounded memory. The crate contains no `unsafe` code and
//! needs no GPU.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(any(feature = "recording", test))]
extern crate std;

mod bytes;
mod contents;
#[cfg(any(feature = "generate", feature = "header"))]
mod counts;
pub mod cubin;
mod directives;
pub mod dwarf;
mod elf;
mod encoder;
#[cfg(any(feature = "generate", feature = "header"))]
mod escape;
pub mod fatbin;
mod format;
#[cfg(feature = "generate")]
pub mod generate;
#[cfg(feature = "header")]
pub mod header;
mod join;
mod kernel;
mod kernels;
mod little_endian;
pub mod mangled;
pub mod ptx;
#[cfg(feature = "recording")]
pub mod recording;
mod release;
mod similar;
#[doc(hidden)]
pub mod summary;
mod table;
mod target;
mod validate;
mod variable;
mod variable_space;

#[doc(hidden)]
pub use contents::contents_of;
pub use contents::{Code, CodeKind, Unfit, contents};
pub use directives::{DirectiveValue, Directives};
#[doc(hidden)]
pub use encoder::{Declaration, Encoder};
pub use format::{Error, Kind, foreign_text};
pub use join::{join_parameters, same_sizes};
#[doc(hidden)]
pub use kernel::Limits;
pub use kernel::{DebugInfoMismatch, Kernel};
pub use kernels::Kernels;
pub use release::{CudaVersion, PtxVersion, RELEASES, Release};
#[doc(hidden)]
pub use similar::similar_files;
pub use table::ParameterList;
pub use target::{Compatibility, Features, Target};
pub use validate::validate;
pub use variable::Variable;
pub use variable_space::VariableSpace;

use crate::{
    fatbin::{Budget, EXPANSION_FLOOR, Member},
    format::{binary_format, format},
};
use alloc::{borrow::Cow, vec::Vec};

/// Whether debug information is read: the feature `debug-info`. Cargo enables it for all host programs of a build if one of them needs it.
#[doc(hidden)]
pub const READS_DEBUG_INFO: bool = cfg!(feature = "debug-info");

/// A compiled image: its PTX texts and cubins. It is not decompressed or parsed until [`kernels`](Self::kernels) is
/// called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image<'a> {
    parts: Vec<Part<'a>>,
    /// The total size in bytes.
    size: usize,
}

/// A PTX text or a cubin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part<'a> {
    Text(&'a [u8]),
    Cubin(&'a [u8]),
    /// A member of a fat binary, possibly compressed.
    Member(Member<'a>),
}

impl<'a> Image<'a> {
    /// Reads an image: PTX text (possibly with NULs at the end), a cubin, or a fat binary.
    ///
    /// Skips members of a fat binary that are neither PTX nor a cubin, unless there are no other members.
    ///
    /// # Errors
    /// If the bytes are in none of these formats, or if a member or all members together exceed
    /// [`fatbin::EXPANSION_LIMIT`] when decompressed.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::of_kind(format(bytes)?, bytes)
    }

    /// Reads an image that [`read`](Self::read) has accepted before. It does not look at each byte of a text again.
    ///
    /// # Errors
    /// As [`read`](Self::read), if the bytes have changed.
    pub fn read_again(bytes: &'a [u8]) -> Result<Self, Error> {
        let kind = binary_format(bytes).unwrap_or(Ok(Kind::Ptx))?;
        Self::of_kind(kind, bytes)
    }

    fn of_kind(kind: Kind, bytes: &'a [u8]) -> Result<Self, Error> {
        let parts = match kind {
            Kind::Cubin => [Part::Cubin(bytes)].into(),
            Kind::Ptx => [Part::Text(bytes)].into(),
            Kind::Fatbin => members(bytes).map_err(Error::Fatbin)?,
        };
        Ok(Self { parts, size: bytes.len() })
    }

    /// Combines this image with other images of the same kernels, as if all were members of one fat binary. Examples:
    /// a cubin and its PTX, or an image and a debug build with its debug information. If several contain a kernel,
    /// earlier images have priority.
    #[must_use]
    pub fn with(mut self, more: Self) -> Self {
        self.parts.extend(more.parts);
        self.size = self.size.saturating_add(more.size);
        self
    }

    /// Parses all texts and cubins, one after another: only one is decompressed at a time.
    ///
    /// Allocates at most eight times the size of the image, of its largest member when decompressed, or of
    /// [`fatbin::EXPANSION_FLOOR`]: the largest counts. Debug information uses additional memory: 48 times the size of its sections, and at most 768 MiB.
    ///
    /// # Errors
    /// If a member cannot be decompressed, if a PTX text or a cubin is invalid, or if the kernels exceed this memory.
    pub fn kernels(&self) -> Result<Kernels<'a>, Error> {
        let mut budget = Budget::new(self.size as u64);
        let limit = self.size.max(EXPANSION_FLOOR as usize);
        let mut weight = 0;
        let mut kernels = Kernels::default();
        for part in &self.parts {
            weight += match *part {
                Part::Text(text) => kernels.add_text(text)?,
                Part::Cubin(cubin) => kernels.add_cubin(Cow::Borrowed(cubin))?,
                Part::Member(member) => {
                    let bytes = budget.bytes(&member).map_err(Error::Fatbin)?;
                    match member.kind {
                        fatbin::Kind::Ptx => kernels.add_text(&bytes)?,
                        _ => kernels.add_cubin(bytes)?,
                    }
                }
            };
            if weight > limit {
                return Err(Error::Kernels(limit));
            }
        }
        kernels.sort();
        Ok(kernels)
    }

    /// Analyses the code of the kernels that `wanted` accepts, and adds the result to `kernels`, which must be the
    /// kernels of this image: [`Parameter::body`](kernel_args_abi::Parameter::body). Only PTX is analysed; it also
    /// answers for the cubins of the same kernel. A kernel that cannot be analysed, or that uses none of its
    /// parameters, stays as it is.
    ///
    /// Requires the feature `bodies`. Without it, nothing is analysed.
    ///
    /// # Errors
    /// If a member cannot be decompressed.
    pub fn add_bodies(&self, kernels: &mut Kernels<'_>, mut wanted: impl FnMut(&str) -> bool) -> Result<(), Error> {
        let mut budget = Budget::new(self.size as u64);
        for (number, part) in self.parts.iter().enumerate() {
            if !kernels.has_wanted(number, &mut wanted) {
                continue;
            }
            match *part {
                Part::Text(text) => kernels.add_bodies(number, text, &mut wanted),
                Part::Cubin(_) => {}
                Part::Member(member) => {
                    let bytes = budget.bytes(&member).map_err(Error::Fatbin)?;
                    kernels.add_bodies(number, &bytes, &mut wanted);
                }
            }
        }
        Ok(())
    }
}

/// The members that contain kernels.
fn members(bytes: &[u8]) -> Result<Vec<Part<'_>>, fatbin::Error> {
    let mut budget = Budget::new(bytes.len() as u64);
    let mut parts = Vec::new();
    let mut passed_over = None;
    for member in fatbin::members(bytes)? {
        if matches!(member.kind, fatbin::Kind::Ptx | fatbin::Kind::Elf) {
            budget.take(&member, member.payload.len() as u64)?;
            parts.push(Part::Member(member));
        } else {
            passed_over = Some(member.kind);
        }
    }
    match passed_over {
        Some(kind) if parts.is_empty() => Err(fatbin::Error::Kind(kind)),
        _ => Ok(parts),
    }
}
