//! Checks that every offset in an ELF file's headers is inside the file. The reader checks only what it uses.

use super::{
    Error, info,
    read::{GLOBAL, INFO, PREFIX, parse},
};
use crate::formats::{
    bytes::{range, u16_at, u32_at, u64_at},
    elf::{
        self, EXTENDED, Elf, PROGRAM_HEADER, SECTION_HEADER, SHT_NOBITS, SHT_RELA, SHT_STRTAB, SHT_SYMTAB, STT_FUNC,
        STT_OBJECT, SYMBOL, Section, Symbol,
    },
};

const PT_LOAD: u32 = 1;
const SHT_NOTE: u32 = 7;
/// `SHT_NOBITS` for `.nv.global`, `.nv.local` and `.nv.shared` in relocatable cubins.
const SHT_CUDA_GLOBAL: u32 = 0x7000_0007;
const SHT_CUDA_LOCAL: u32 = 0x7000_0009;
const SHT_CUDA_SHARED: u32 = 0x7000_000a;
const SHT_REL: u32 = 9;
const SHT_DYNSYM: u32 = 11;
const SHF_INFO_LINK: u64 = 0x40;
/// Section numbers from here on have special meanings.
const SHN_LORESERVE: u16 = 0xff00;

pub(crate) fn validate(bytes: &[u8]) -> Result<(), Error> {
    parse(bytes)?;
    let elf = Elf::parse(bytes).map_err(Error::Elf)?;
    headers(&elf)?;
    let names = strings(&elf, elf.names)?;
    let symbols_of_file = elf.sections().find(|section| section.kind == SHT_SYMTAB);
    // Sections do not overlap. Otherwise the entries of a small file could take quadratic time.
    let mut left = bytes.len();
    for (index, section) in elf.sections().enumerate().skip(1) {
        let outside = Error::outside("section", index);
        let data =
            if has_bytes(&section) { range(bytes, section.offset, section.size).ok_or(outside.clone())? } else { &[] };
        let start = name(names, section.name).ok_or(Error::Name)?;
        let has = |section: u32| section == 0 || (section as usize) < elf.len();
        let linked = section.flags & SHF_INFO_LINK == 0 || has(section.info);
        if !has(section.link) || !linked || section.align & section.align.wrapping_sub(1) != 0 {
            return Err(outside);
        }
        if matches!(section.kind, SHT_SYMTAB | SHT_DYNSYM | SHT_REL | SHT_RELA | SHT_NOTE | INFO) {
            left = left.checked_sub(data.len()).ok_or(Error::Overlap)?;
        }
        match section.kind {
            SHT_STRTAB if data.last().is_some_and(|&last| last != 0) => return Err(Error::Name),
            SHT_SYMTAB | SHT_DYNSYM => symbols(&elf, index, &section, data)?,
            SHT_REL => relocations::<16>(&elf, index, &section, data, symbols_of_file)?,
            SHT_RELA => relocations::<24>(&elf, index, &section, data, symbols_of_file)?,
            SHT_NOTE => notes(data).ok_or(outside)?,
            INFO if start == GLOBAL || start.starts_with(PREFIX) => {
                info::Info::parse(data).map_err(|_| outside)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn headers(elf: &Elf<'_>) -> Result<(), Error> {
    let number = |at| u16_at(elf.header, at).unwrap_or(0);
    let programs = number(56);
    for (what, found, expected) in [
        ("e_ehsize", number(52), elf::HEADER),
        ("e_phentsize", number(54), PROGRAM_HEADER),
        ("e_shentsize", number(58), SECTION_HEADER),
    ] {
        let unused = what == "e_phentsize" && programs == 0 && found == 0;
        if usize::from(found) != expected && !unused {
            return Err(Error::outside(what, usize::from(found)));
        }
    }
    if programs == EXTENDED {
        return Err(Error::outside("e_phnum", usize::from(EXTENDED)));
    }
    // If there are more sections than the header can express, the size of section 0 is their number.
    if number(60) > 0 && elf.section(0).is_none_or(|first| first.size > 0) {
        return Err(Error::outside("section", 0));
    }
    let offset = u64_at(elf.header, 32).unwrap_or(0);
    let table = range(elf.bytes, offset, u64::from(programs) * PROGRAM_HEADER as u64)
        .ok_or(Error::outside("the table of program headers", 0))?;
    for (index, program) in table.chunks_exact(PROGRAM_HEADER).enumerate() {
        let number = |at| u64_at(program, at).unwrap_or(0);
        let (offset, size, in_memory) = (number(8), number(32), number(40));
        let fits = size == 0 || range(elf.bytes, offset, size).is_some();
        if !fits || u32_at(program, 0) == Some(PT_LOAD) && size > in_memory {
            return Err(Error::outside("program header", index));
        }
    }
    Ok(())
}

const fn has_bytes(section: &Section) -> bool {
    !matches!(section.kind, SHT_NOBITS | SHT_CUDA_GLOBAL | SHT_CUDA_LOCAL | SHT_CUDA_SHARED)
}

fn section(elf: &Elf<'_>, index: usize) -> Result<Section, Error> {
    elf.section(index).ok_or(Error::outside("section", index))
}

fn strings<'a>(elf: &Elf<'a>, index: usize) -> Result<&'a [u8], Error> {
    let section = section(elf, index)?;
    let data = range(elf.bytes, section.offset, section.size).ok_or(Error::outside("section", index))?;
    let ends = data.last().is_none_or(|&last| last == 0);
    if section.kind == SHT_STRTAB && ends { Ok(data) } else { Err(Error::Name) }
}

fn symbols(elf: &Elf<'_>, index: usize, table: &Section, data: &[u8]) -> Result<(), Error> {
    let outside = Error::outside("symbol table", index);
    let (symbols, []) = data.as_chunks::<SYMBOL>() else {
        return Err(outside);
    };
    if table.entry_size != SYMBOL as u64 {
        return Err(outside);
    }
    let names = strings(elf, table.link as usize)?;
    for symbol in symbols.iter().map(Symbol::parse) {
        name(names, symbol.name).ok_or(Error::Name)?;
        if symbol.section == 0 || symbol.section >= SHN_LORESERVE {
            continue;
        }
        let place = section(elf, usize::from(symbol.section)).map_err(|_| outside.clone())?;
        let is_inside = symbol.value.checked_add(symbol.size).is_some_and(|end| end <= place.size);
        // The value of other symbols need not be an offset.
        if matches!(symbol.kind, STT_OBJECT | STT_FUNC) && has_bytes(&place) && !is_inside {
            return Err(outside);
        }
    }
    Ok(())
}

/// Checks relocations of `N` bytes each.
///
/// CUPTI passes cubins of other libraries with stale numbers of sections, as in CuPy's matrix products. The driver
/// takes the symbols of the file.
fn relocations<const N: usize>(
    elf: &Elf<'_>,
    index: usize,
    table: &Section,
    data: &[u8],
    symbols_of_file: Option<Section>,
) -> Result<(), Error> {
    let linked = section(elf, table.link as usize)?;
    let symbols = if matches!(linked.kind, SHT_SYMTAB | SHT_DYNSYM) { Some(linked) } else { symbols_of_file };
    let symbols = symbols.ok_or(Error::outside("relocation table", index))?;
    let target = section(elf, table.info as usize)?;
    let count = symbols.size / SYMBOL as u64;
    let fits = |entry: &[u8; N]| {
        let number = |at| u64_at(entry, at).unwrap_or(u64::MAX);
        number(0) < target.size && number(8) >> 32 < count
    };
    let (entries, rest) = data.as_chunks();
    if table.entry_size == N as u64 && rest.is_empty() && entries.iter().all(fits) {
        Ok(())
    } else {
        Err(Error::outside("relocation table", index))
    }
}

/// Three sizes, then name and description, each padded to 4 bytes.
fn notes(data: &[u8]) -> Option<()> {
    let zeros = data.iter().rev().take_while(|&&byte| byte == 0).count();
    let mut at = 0;
    while at < data.len() - zeros {
        let header = data.get(at..)?.get(..12)?;
        let padded = |at| (u32_at(header, at)? as usize).checked_next_multiple_of(4);
        let size = padded(0)?.checked_add(padded(4)?)?.checked_add(12)?;
        at = at.checked_add(size)?;
        // The last note need not be padded.
        if at > data.len().checked_next_multiple_of(4)? {
            return None;
        }
    }
    Some(())
}

/// Returns the beginning of the name at `offset`. A NUL follows, because the table ends with one.
fn name(strings: &[u8], offset: u32) -> Option<&[u8]> {
    if offset == 0 && strings.is_empty() {
        return Some(&[]);
    }
    let rest = strings.get(offset as usize..).filter(|rest| !rest.is_empty())?;
    // Names with common suffixes would take quadratic time.
    let start = &rest[..rest.len().min(PREFIX.len())];
    start.split(|&byte| byte == 0).next()
}
