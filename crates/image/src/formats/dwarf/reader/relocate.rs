//! The relocations of debug information in objects: references between sections, and code addresses.
//!
//! System V ABI; "Processor Supplement" of AMD64, "ELF for the Arm 64-bit Architecture", "Relocation".

use super::{Error, INFO, Sections};
use crate::formats::{
    bytes::{u32_at, u64_at},
    elf::{EM_AARCH64, EM_X86_64, Elf, SHT_RELA, SYMBOL, Section, Symbol},
};
use crate::prelude::*;

const ENTRY: usize = 24;

impl<'a> Sections<'a> {
    /// Returns the sections of an object of a host compiler, with their relocations applied.
    pub(crate) fn of_object(elf: &Elf<'a>) -> Result<Self, Error> {
        let (mut sections, indices) = Self::of_elf(elf)?;
        let mut are_relocated = !elf.is_relocatable() || sections.is_empty();
        for table in elf.sections().filter(|section| section.kind == SHT_RELA) {
            let place = indices.iter().position(|&index| index != 0 && index == table.info as usize);
            if let Some(place) = place {
                apply(elf, &table, sections.0[place].to_mut())?;
                are_relocated |= place == INFO;
            }
        }
        if are_relocated {
            Ok(sections)
        } else {
            Err(Error::Dwarf("its relocations (`.rela.debug_info`) are missing".into()))
        }
    }
}

/// Applies `table` to the bytes of its section.
fn apply(elf: &Elf<'_>, table: &Section, bytes: &mut [u8]) -> Result<(), Error> {
    let broken = || Error::Dwarf("a relocation is invalid".into());
    let symbols = elf.section(table.link as usize).and_then(|symbols| elf.data(&symbols).ok()).ok_or_else(broken)?;
    let symbols: &[[u8; SYMBOL]] = symbols.as_chunks().0;
    let entries: &[[u8; ENTRY]] = elf.data(table).map_err(|_| broken())?.as_chunks().0;
    for entry in entries {
        let number = |at| u64_at(entry, at).unwrap_or(0);
        let kind = u32_at(entry, 8).unwrap_or(0);
        let width = match (elf.machine(), kind) {
            // `R_X86_64_64`, `R_AARCH64_ABS64`.
            (EM_X86_64, 1) | (EM_AARCH64, 257) => 8,
            // `R_X86_64_32`, `R_X86_64_32S`, `R_AARCH64_ABS32`.
            (EM_X86_64, 10 | 11) | (EM_AARCH64, 258) => 4,
            // None, and the offsets of thread-local variables.
            (EM_X86_64, 0 | 17 | 21) | (EM_AARCH64, 0 | 256 | 1028 | 1029) => continue,
            _ => return Err(Error::Dwarf(format!("relocations of type {kind}"))),
        };
        let symbol = symbols.get((number(8) >> 32) as usize).ok_or_else(broken)?;
        let value = Symbol::parse(symbol).value.wrapping_add(number(16)).to_le_bytes();
        let at = usize::try_from(number(0)).map_err(|_| broken())?;
        let place = bytes.get_mut(at..).and_then(|rest| rest.get_mut(..width)).ok_or_else(broken)?;
        place.copy_from_slice(&value[..width]);
    }
    Ok(())
}
