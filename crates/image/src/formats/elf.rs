//! 64-bit little-endian ELF files such as cubins: headers, sections and symbols.
//!
//! Tool Interface Standard, "Executable and Linking Format"; System V ABI. An offset outside of the file is an error.

use crate::formats::bytes::{range, u16_at, u32_at, u64_at};

pub(crate) const MAGIC: &[u8] = b"\x7fELF";
/// The sizes of structures, in bytes.
pub(crate) const HEADER: usize = 64;
pub(crate) const PROGRAM_HEADER: usize = 56;
pub(crate) const SECTION_HEADER: usize = 64;
pub(crate) const SYMBOL: usize = 24;

pub(crate) const SHT_SYMTAB: u32 = 2;
pub(crate) const SHT_STRTAB: u32 = 3;
pub(crate) const SHT_RELA: u32 = 4;
pub(crate) const SHT_NOBITS: u32 = 8;
pub(crate) const SHT_LOPROC: u32 = 0x7000_0000;
pub(crate) const STT_OBJECT: u8 = 1;
pub(crate) const STT_FUNC: u8 = 2;
#[cfg(feature = "debug-info")]
pub(crate) const EM_X86_64: u16 = 62;
#[cfg(feature = "debug-info")]
pub(crate) const EM_AARCH64: u16 = 183;
/// The number is in section 0.
pub(crate) const EXTENDED: u16 = 0xffff;

const SECTIONS: &str = "Invalid ELF section header offset or size";
const SECTION: &str = "Invalid ELF section size or offset";
const INDEX: &str = "Invalid ELF section index";

#[derive(Clone, Copy)]
pub(crate) struct Elf<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) header: &'a [u8; HEADER],
    sections: &'a [[u8; SECTION_HEADER]],
    pub(crate) names: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Section {
    pub(crate) name: u32,
    pub(crate) kind: u32,
    pub(crate) flags: u64,
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) link: u32,
    pub(crate) info: u32,
    pub(crate) align: u64,
    pub(crate) entry_size: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct Symbol {
    pub(crate) name: u32,
    pub(crate) kind: u8,
    /// 0: local.
    #[cfg(feature = "debug-info")]
    pub(crate) binding: u8,
    pub(crate) other: u8,
    /// The index of its section, or 0 if it is undefined.
    pub(crate) section: u16,
    pub(crate) value: u64,
    pub(crate) size: u64,
}

pub(crate) fn header(bytes: &[u8]) -> Result<&[u8; HEADER], &'static str> {
    let header = bytes.first_chunk().ok_or("Invalid ELF header size or alignment")?;
    // 64-bit, little-endian, version 1.
    if header.starts_with(b"\x7fELF\x02\x01\x01") { Ok(header) } else { Err("Unsupported ELF header") }
}

impl<'a> Elf<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, &'static str> {
        let header = header(bytes)?;
        let number = |at| u16_at(header, at).unwrap_or(0);
        let offset = u64_at(header, 40).unwrap_or(0);
        let (count, names) = (number(60), number(62));
        let mut elf = Self { bytes, header, sections: &[], names: usize::from(names) };
        if offset == 0 {
            return Ok(elf);
        }
        if usize::from(number(58)) != SECTION_HEADER {
            return Err("Invalid ELF section header entry size");
        }
        let table = |count: u64| range(bytes, offset, count.checked_mul(SECTION_HEADER as u64)?);
        let first = Section::parse(table(1).ok_or(SECTIONS)?);
        let count = if count == 0 { first.size } else { count.into() };
        if names == EXTENDED {
            elf.names = first.link as usize;
        }
        elf.sections = table(count).ok_or(SECTIONS)?.as_chunks().0;
        Ok(elf)
    }

    pub(crate) const fn len(&self) -> usize {
        self.sections.len()
    }

    #[cfg(feature = "debug-info")]
    pub(crate) fn is_relocatable(&self) -> bool {
        const ET_REL: u16 = 1;
        u16_at(self.header, 16) == Some(ET_REL)
    }

    /// Returns the processor: `EM_X86_64`, `EM_AARCH64`.
    #[cfg(feature = "debug-info")]
    pub(crate) fn machine(&self) -> u16 {
        u16_at(self.header, 18).unwrap_or(0)
    }

    pub(crate) fn section(&self, index: usize) -> Option<Section> {
        self.sections.get(index).map(|header| Section::parse(header))
    }

    pub(crate) fn sections(&self) -> impl Iterator<Item = Section> {
        self.sections.iter().map(|header| Section::parse(header))
    }

    pub(crate) fn data(&self, section: &Section) -> Result<&'a [u8], &'static str> {
        if section.kind == SHT_NOBITS || section.size == 0 {
            return Ok(&[]);
        }
        range(self.bytes, section.offset, section.size).ok_or(SECTION)
    }

    fn data_of(&self, index: usize) -> Result<&'a [u8], &'static str> {
        let section = self.section(index).filter(|_| index != 0);
        self.data(&section.ok_or(INDEX)?)
    }

    pub(crate) fn section_names(&self) -> Result<&'a [u8], &'static str> {
        self.data_of(self.names)
    }

    pub(crate) fn symbols(&self) -> Result<(impl ExactSizeIterator<Item = Symbol> + use<'a>, &'a [u8]), &'static str> {
        let table = self.sections().find(|section| section.kind == SHT_SYMTAB);
        let (symbols, names): (&[[u8; SYMBOL]], &[u8]) = match table {
            None => (&[], &[]),
            Some(table) => match self.data(&table)?.as_chunks() {
                ([], []) => (&[], &[]),
                (symbols, []) => {
                    let names = table.link as usize;
                    if self.section(names).ok_or(INDEX)?.kind != SHT_STRTAB {
                        return Err("Invalid ELF string section type");
                    }
                    (symbols, self.data_of(names)?)
                }
                _ => return Err("Invalid ELF symbol table data"),
            },
        };
        Ok((symbols.iter().map(Symbol::parse), names))
    }
}

impl Section {
    fn parse(header: &[u8]) -> Self {
        let u32_at = |at| u32_at(header, at).unwrap_or(0);
        let u64_at = |at| u64_at(header, at).unwrap_or(0);
        Self {
            name: u32_at(0),
            kind: u32_at(4),
            flags: u64_at(8),
            offset: u64_at(24),
            size: u64_at(32),
            link: u32_at(40),
            info: u32_at(44),
            align: u64_at(48),
            entry_size: u64_at(56),
        }
    }
}

impl Symbol {
    pub(crate) fn parse(entry: &[u8; SYMBOL]) -> Self {
        Self {
            name: u32_at(entry, 0).unwrap_or(0),
            kind: entry[4] & 0xf,
            #[cfg(feature = "debug-info")]
            binding: entry[4] >> 4,
            other: entry[5],
            section: u16_at(entry, 6).unwrap_or(0),
            value: u64_at(entry, 8).unwrap_or(0),
            size: u64_at(entry, 16).unwrap_or(0),
        }
    }
}

/// Returns the name at `offset` of a table. `None` if it has `most` bytes or more, or is not inside the table.
pub(crate) fn name(names: &[u8], offset: u32, most: usize) -> Option<&[u8]> {
    let rest = names.get(offset as usize..)?;
    let window = &rest[..rest.len().min(most)];
    let end = window.iter().position(|&byte| byte == 0)?;
    Some(&window[..end])
}
