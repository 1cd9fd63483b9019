//! An image: its PTX texts and cubins, and whether it is safe to pass to the driver.

use crate::prelude::*;
use crate::{
    formats::{
        cubin,
        detect::{Error, Kind, binary_format, format},
        fatbin::{self, Budget, EXPANSION_FLOOR, Member},
    },
    model::kernels::Kernels,
};

/// A compiled image: its PTX texts and cubins, not decompressed or parsed before [`kernels`](Self::kernels).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image<'a> {
    parts: Vec<Member<'a>>,
    size: usize,
}

impl<'a> Image<'a> {
    /// Reads an image: PTX text (possibly with NULs at the end), a cubin, or a fat binary. Skips members that are
    /// neither PTX nor a cubin, unless there are no other members.
    ///
    /// # Errors
    /// If the bytes are in none of these formats, or if a member or all members together exceed
    /// [`fatbin::EXPANSION_LIMIT`] when decompressed.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::of_kind(format(bytes)?, bytes)
    }

    /// Reads an image that [`read`](Self::read) has accepted before, without a look at each byte of a text.
    ///
    /// # Errors
    /// As [`read`](Self::read), if the bytes have changed.
    pub fn read_again(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::of_kind(binary_format(bytes).unwrap_or(Ok(Kind::Ptx))?, bytes)
    }

    fn of_kind(kind: Kind, bytes: &'a [u8]) -> Result<Self, Error> {
        let parts = match kind {
            Kind::Cubin => [Member::plain(fatbin::Kind::Elf, bytes)].into(),
            Kind::Ptx => [Member::plain(fatbin::Kind::Ptx, bytes)].into(),
            Kind::Fatbin => members(bytes).map_err(Error::Fatbin)?,
        };
        Ok(Self { parts, size: bytes.len() })
    }

    /// Combines this image with other images of the same kernels, as members of one fat binary: a cubin and its PTX, or
    /// an image and a debug build. If several contain a kernel, earlier images have priority.
    #[must_use]
    pub fn with(mut self, more: Self) -> Self {
        self.parts.extend(more.parts);
        self.size = self.size.saturating_add(more.size);
        self
    }

    /// Parses all texts and cubins, decompressed one after another.
    ///
    /// Allocates at most eight times the size of the image, of its largest member when decompressed, or of
    /// [`fatbin::EXPANSION_FLOOR`]: the largest counts. Debug information takes 48 times the size of its sections and
    /// 3 MiB more, and at most 768 MiB.
    ///
    /// # Errors
    /// If a member cannot be decompressed, if a PTX text or a cubin is invalid, or if the kernels exceed this memory.
    pub fn kernels(&self) -> Result<Kernels<'a>, Error> {
        let mut budget = Budget::new(self.size as u64);
        let limit = self.size.max(EXPANSION_FLOOR as usize);
        let mut weight = 0;
        let mut kernels = Kernels::default();
        for member in &self.parts {
            let bytes = budget.bytes(member).map_err(Error::Fatbin)?;
            weight += match member.kind {
                fatbin::Kind::Ptx => kernels.add_text(&bytes)?,
                _ => kernels.add_cubin(bytes)?,
            };
            if weight > limit {
                return Err(Error::Kernels(limit));
            }
        }
        kernels.sort();
        Ok(kernels)
    }

    /// Analyses the code of the kernels that `wanted` accepts, and adds the result to `kernels`, the kernels of this
    /// image: [`Parameter::body`](kernel_args_abi::Parameter::body). Only PTX is analysed; it also answers for the
    /// cubins of the same kernel. A kernel that cannot be analysed, or that uses none of its parameters, stays as it
    /// is.
    ///
    /// Requires the feature `bodies`. Without it, nothing is analysed.
    ///
    /// # Errors
    /// If a member cannot be decompressed.
    pub fn add_bodies(&self, kernels: &mut Kernels<'_>, mut wanted: impl FnMut(&str) -> bool) -> Result<(), Error> {
        let mut budget = Budget::new(self.size as u64);
        for (number, member) in self.parts.iter().enumerate() {
            if kernels.has_wanted(number, &mut wanted) {
                let bytes = budget.bytes(member).map_err(Error::Fatbin)?;
                #[cfg(feature = "bodies")]
                kernels.add_bodies(number, &bytes, &mut wanted);
                #[cfg(not(feature = "bodies"))]
                drop(bytes);
            }
        }
        Ok(())
    }
}

fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, fatbin::Error> {
    let mut budget = Budget::new(bytes.len() as u64);
    let mut parts = Vec::new();
    let mut passed_over = None;
    for member in fatbin::members(bytes)? {
        if matches!(member.kind, fatbin::Kind::Ptx | fatbin::Kind::Elf) {
            budget.take(&member, member.payload.len() as u64)?;
            parts.push(member);
        } else {
            passed_over = Some(member.kind);
        }
    }
    match passed_over {
        Some(kind) if parts.is_empty() => Err(fatbin::Error::Kind(kind)),
        _ => Ok(parts),
    }
}

/// Checks every offset and size in the headers of an image.
///
/// The driver takes cubins and fat binaries without a length, and trusts their headers. The checks for an image of `n`
/// bytes:
///
/// - **A cubin** is a 64-bit little-endian ELF file for NVIDIA GPUs.
///   - The table of program headers and the ranges of program headers end before `n`. The same applies to the table of
///     section headers and to every section, except sections without bytes in the file: `SHT_NOBITS`, and `.nv.global`,
///     `.nv.local` and `.nv.shared` of relocatable cubins.
///   - Section 0 is empty. Header sizes are ELF's. `sh_link` is a section, and so is `sh_info` if `SHF_INFO_LINK` is
///     set. Alignments are powers of two.
///   - String tables end with NUL, and names are inside them. Symbol and relocation tables contain complete entries.
///   - The section of each symbol exists, and functions and objects end inside their section. The symbol of each
///     relocation exists, and the relocation begins inside the section that it changes. A relocation table whose
///     `sh_link` is not a symbol table belongs to the first one of the file, as for the driver.
///   - Notes and the records of `.nv.info` end inside their sections, and [`cubin::parse`] accepts the kernels.
/// - **A fat binary**: each container, and the header and payload of each member, end before `n`. Texts in a header
///   end inside the header. Compressed members decompress to exactly the specified size, which is within
///   [`fatbin::EXPANSION_LIMIT`], as is the total. Members that are cubins, or begin
///   like ELF files, are checked like cubins. Members that are PTX are text. LTO-IR is not checked.
/// - **PTX** is text: no control characters before the first NUL or the end. It has no length: the caller terminates
///   it with NUL.
///
/// Machine code, debug information, and NVIDIA's undocumented sections are checked only for being inside the file.
///
/// # Errors
/// The reason why the image is invalid. A fat binary's wrapper, which contains an address, is rejected. Without the
/// feature `compressed`, every compressed member is rejected.
pub fn validate(image: &[u8]) -> Result<Kind, Error> {
    let kind = format(image)?;
    match kind {
        Kind::Ptx => {}
        Kind::Cubin => cubin::validate(image).map_err(Error::Cubin)?,
        Kind::Fatbin => fat_binary(image)?,
    }
    Ok(kind)
}

fn fat_binary(image: &[u8]) -> Result<(), Error> {
    let mut budget = Budget::new(image.len() as u64);
    for member in fatbin::members(image).map_err(Error::Fatbin)? {
        // A compiler's linker reads it. The driver ignores it.
        if matches!(member.kind, fatbin::Kind::Ltoir) {
            continue;
        }
        let bytes = budget.bytes(&member).map_err(Error::Fatbin)?;
        match member.kind {
            fatbin::Kind::Ptx if format(&bytes)? != Kind::Ptx => return Err(Error::unknown(&bytes)),
            kind if kind == fatbin::Kind::Elf || bytes.starts_with(b"\x7fELF") => {
                cubin::validate(&bytes).map_err(Error::Cubin)?;
            }
            _ => {}
        }
    }
    Ok(())
}
