//! Whether an image may be given to the driver, which is not told how long it is.

use crate::{
    cubin,
    fatbin::{self, Budget},
    format::{Error, Kind, format},
};

/// Checks every offset and size in an image that says where something lies in it.
///
/// The driver takes cubins and fat binaries without their length, and believes their headers. What is
/// checked, for an image of `n` bytes:
///
/// - **A cubin** is an ELF file of 64 bits, little-endian, for NVIDIA GPUs. The table of program headers and what
///   each of them places in the file end before `n`; so do the table of section headers and every section, except
///   those that have no bytes in the file: `SHT_NOBITS`, and `.nv.global`, `.nv.local` and `.nv.shared` of relocatable
///   cubins. Section 0 is empty. Header sizes are ELF's. `sh_link`,
///   and `sh_info` where `SHF_INFO_LINK` says that it is a section, are sections. Alignments are powers of two.
///   String tables end with NUL, and names lie in them. Symbol and relocation tables hold whole entries; symbols
///   are of sections that exist, and functions and objects end inside of theirs; relocations are of symbols that
///   exist and begin inside of the section that they change. Notes and the records of `.nv.info` end inside of
///   their sections, and the kernels are as [`cubin::parse`] reads them.
/// - **A fat binary**: each container and each member's header and payload end before `n`, and texts that a
///   header names end inside of it. Compressed members are decompressed: to exactly the size that they claim,
///   which is at most [`fatbin::MEMBER_LIMIT`], and all together what [`fatbin::EXPANSION_LIMIT`] allows.
///   Members that are cubins, or begin as ELF files do, are checked as above; members that are PTX are text.
///   LTO-IR is not looked into.
/// - **PTX** is text: no control characters before its first NUL or the end. It has no length of its own: the
///   caller ends it with NUL.
///
/// Not checked: machine code, debug information, and sections of NVIDIA's whose format is not documented, beyond that
/// they lie in the file.
///
/// # Errors
/// What is wrong. The wrapper of a fat binary, which holds an address, is refused. So is every compressed member where the
/// crate is built without its feature `compressed`.
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
    let mut budget = Budget::new(image.len());
    for member in fatbin::members(image).map_err(Error::Fatbin)? {
        // A compiler's linker reads it, by a compression of its own; the driver loads the image without it.
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
