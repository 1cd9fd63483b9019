//! Reads compiled images of CUDA kernels: PTX, cubins, and fat binaries of both.
//!
//! | item | content |
//! |---|---|
//! | [`Image`], [`Kernels`], [`Kernel`] | the kernels of an image in any format, with all data about their parameters |
//! | [`variants()`], [`Observed`] | a kernel in several images: once per list of parameters |
//! | [`Variable`] | the global variables of an image |
//! | [`Directives`] | a kernel's requirements for a launch |
//! | [`validate`] | whether an image is safe to pass to the driver, which does not know its length |
//! | [`contents()`], [`Code`], [`Target`] | the GPUs for which an image contains code, and the drivers that load it |
//! | [`ptx`], [`cubin`], [`fatbin`] | the readers of single formats |
//! | [`dwarf`] | names, C++ types and members from debug information (feature `debug-info`) |
//! | `Launchers` | the host functions of a static library that launch kernels (feature `debug-info`) |
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

/// `Display` of a type, and `Error` of an error.
macro_rules! display {
    (error $ty:ty, $($text:tt)*) => {
        display!($ty, $($text)*);

        impl core::error::Error for $ty {}
    };
    ($ty:ty, |$this:ident, $f:ident| $text:expr) => {
        impl core::fmt::Display for $ty {
            fn fmt(&self, $f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let $this = self;
                $text
            }
        }
    };
}

mod code;
mod collections;
mod formats;
pub mod mangled;
mod model;
#[cfg(feature = "recording")]
pub mod recording;
mod table;
mod writers;

/// What the prelude of `std` has, and the collections.
#[allow(unused_imports, reason = "not every feature needs all")]
mod prelude {
    pub(crate) use crate::collections::{Map, narrow, order, sort};
    pub(crate) use alloc::{
        borrow::{Cow, ToOwned},
        boxed::Box,
        collections::{BTreeMap, BTreeSet},
        format,
        string::{String, ToString},
        vec,
        vec::Vec,
    };
}

pub use code::{
    VariableSpace,
    directives::{DirectiveValue, Directives},
    release::{CudaVersion, PtxVersion, RELEASES, Release},
    target::{Compatibility, Features, Target},
};
pub use formats::{
    cubin,
    detect::{Error, Kind, foreign_text},
    dwarf, fatbin, ptx,
};
#[doc(hidden)]
pub use mangled::similar_files;
#[doc(hidden)]
pub use model::{
    contents::contents_of,
    encoder::{Declaration, Encoder},
    kernel::Limits,
    summary,
};
pub use model::{
    contents::{Code, CodeKind, Unfit, contents},
    image::{Image, validate},
    kernel::{DebugInfoMismatch, Kernel, Variable, same_sizes},
    kernels::Kernels,
    variants::{InImage, Observed, Variant, variants},
};
#[cfg(feature = "debug-info")]
pub use model::{
    launcher_error::{LauncherError, OtherFormat},
    launchers::{Launcher, Launchers, List},
};
pub use table::ParameterList;
#[cfg(feature = "generate")]
pub use writers::generate;
#[cfg(feature = "header")]
pub use writers::header;
#[doc(hidden)]
pub use writers::{escape::quoted, items};

/// Whether debug information is read. Cargo enables this for all host programs of a build if one of them needs it.
#[doc(hidden)]
pub const READS_DEBUG_INFO: bool = cfg!(feature = "debug-info");
