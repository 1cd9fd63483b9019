//! Whether an image is safe to pass to the driver, which does not know its length.

use crate::formats::{
    cubin,
    detect::{Error, Kind, format},
    fatbin::{self, Budget},
};

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
///     relocation exists, and the relocation begins inside the section that it changes. A relocation table whose `sh_link`
///     is not a symbol table belongs to the first one of the file, as for the driver.
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
        let is_elf = bytes.starts_with(b"\x7fELF");
        match member.kind {
            fatbin::Kind::Elf => cubin::validate(&bytes).map_err(Error::Cubin)?,
            fatbin::Kind::Ptx if format(&bytes)? != Kind::Ptx => {
                return Err(Error::unknown(&bytes));
            }
            _ if is_elf => cubin::validate(&bytes).map_err(Error::Cubin)?,
            _ => {}
        }
    }
    Ok(())
}
