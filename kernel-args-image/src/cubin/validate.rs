//! Whether every place that an ELF file's headers name lies inside of the file.
//!
//! Independent of the reader beside it: this looks at all headers, the reader at what it needs.
//! Tool Interface Standard, "Executable and Linking Format", with the 64-bit structures of the System V ABI.

use super::{Error, INFO, MACHINE, PREFIX, info};

const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
const SECTION_HEADER: usize = 64;
const SYMBOL: usize = 24;

const PT_LOAD: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const SHT_RELA: u32 = 4;
const SHT_NOTE: u32 = 7;
const SHT_NOBITS: u32 = 8;
/// NVIDIA's own of that kind, in relocatable cubins: `.nv.global`, `.nv.local` and `.nv.shared`.
const SHT_CUDA_GLOBAL: u32 = 0x7000_0007;
const SHT_CUDA_LOCAL: u32 = 0x7000_0009;
const SHT_CUDA_SHARED: u32 = 0x7000_000a;
const SHT_REL: u32 = 9;
const SHT_DYNSYM: u32 = 11;
const STT_OBJECT: u8 = 1;
const STT_FUNC: u8 = 2;
const SHF_INFO_LINK: u64 = 0x40;
/// Section numbers from here on have a meaning of their own.
const SHN_LORESERVE: u16 = 0xff00;
/// In a header's 16 bits: the number is in section 0.
const EXTENDED: u16 = 0xffff;

/// Validates the headers of a cubin, and all that they place in the file: see
/// [`image::validate`](crate::validate) for the list.
pub(super) fn validate(bytes: &[u8]) -> Result<(), Error> {
    File::new(bytes)?.validate()
}

/// A section header.
#[derive(Clone, Copy)]
struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry_size: u64,
}

struct File<'a> {
    bytes: &'a [u8],
    /// Where the section headers begin.
    sections: usize,
    count: usize,
    /// Which section has the names of sections.
    names: usize,
}

impl<'a> File<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let outside = Error::outside("the ELF header", 0);
        let header = bytes.get(..HEADER).ok_or(outside)?;
        if !header.starts_with(b"\x7fELF\x02\x01\x01") {
            return Err(Error::outside("the identification of the ELF header", 0));
        }
        let machine = u16_at(header, 18);
        if machine != MACHINE {
            return Err(Error::Machine(machine));
        }
        let program_headers = u16_at(header, 56);
        let sections = position(u64_at(header, 40))?;
        for (what, found, expected) in [
            ("e_ehsize", u16_at(header, 52), HEADER),
            ("e_phentsize", u16_at(header, 54), PROGRAM_HEADER),
            ("e_shentsize", u16_at(header, 58), SECTION_HEADER),
        ] {
            let unused = found == 0
                && match what {
                    "e_phentsize" => program_headers == 0,
                    "e_shentsize" => sections == 0,
                    _ => false,
                };
            if usize::from(found) != expected && !unused {
                return Err(Error::outside(what, usize::from(found)));
            }
        }
        if program_headers == EXTENDED {
            return Err(Error::outside("e_phnum", usize::from(EXTENDED)));
        }
        let program_headers = table(
            bytes,
            u64_at(header, 32),
            usize::from(program_headers),
            PROGRAM_HEADER,
        )
        .ok_or(Error::outside("the table of program headers", 0))?;
        let mut file = Self {
            bytes,
            sections,
            count: usize::from(u16_at(header, 60)),
            names: usize::from(u16_at(header, 62)),
        };
        let first = table(bytes, u64_at(header, 40), 1, SECTION_HEADER).map(Section::parse);
        let extended = file.count == 0 && file.sections != 0;
        if extended {
            let first = first.ok_or(Error::outside("the table of section headers", 0))?;
            file.count = position(first.size)?;
        } else if file.count > 0 && first.is_some_and(|first| first.size != 0) {
            return Err(Error::outside("section", 0));
        }
        if file.names == usize::from(EXTENDED) {
            file.names = first.map_or(file.names, |first| first.link as usize);
        }
        table(bytes, u64_at(header, 40), file.count, SECTION_HEADER)
            .ok_or(Error::outside("the table of section headers", 0))?;
        for (index, program) in program_headers.chunks_exact(PROGRAM_HEADER).enumerate() {
            let (offset, size, in_memory) =
                (u64_at(program, 8), u64_at(program, 32), u64_at(program, 40));
            let fits = size == 0 || range(bytes, offset, size).is_some();
            if !fits || u32_at(program, 0) == PT_LOAD && size > in_memory {
                return Err(Error::outside("program header", index));
            }
        }
        Ok(file)
    }

    fn validate(&self) -> Result<(), Error> {
        let names = if self.count == 0 {
            &[]
        } else {
            self.strings(self.names)?
        };
        for index in 1..self.count {
            let section = self.section(index)?;
            let outside = Error::outside("section", index);
            let data = if section.has_bytes() {
                range(self.bytes, section.offset, section.size).ok_or(outside.clone())?
            } else {
                &[]
            };
            let start = name(names, section.name).ok_or(Error::Name)?;
            let linked = section.flags & SHF_INFO_LINK == 0 || self.has(section.info);
            if !self.has(section.link)
                || !linked
                || section.align & section.align.wrapping_sub(1) != 0
            {
                return Err(outside);
            }
            match section.kind {
                SHT_STRTAB if data.last().is_some_and(|&last| last != 0) => {
                    return Err(Error::Name);
                }
                SHT_SYMTAB | SHT_DYNSYM => self.symbols(index, section, data)?,
                SHT_REL => self.relocations(index, section, data, 16)?,
                SHT_RELA => self.relocations(index, section, data, 24)?,
                SHT_NOTE => notes(data).ok_or(outside)?,
                INFO if start == b".nv.info" || start.starts_with(PREFIX) => {
                    info::Info::parse(data).map_err(|_| outside)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn has(&self, section: u32) -> bool {
        section == 0 || (section as usize) < self.count
    }

    fn section(&self, index: usize) -> Result<Section, Error> {
        let outside = Error::outside("section", index);
        if index >= self.count {
            return Err(outside);
        }
        let header = index
            .checked_mul(SECTION_HEADER)
            .and_then(|at| self.bytes.get(self.sections.checked_add(at)?..))
            .and_then(|rest| rest.get(..SECTION_HEADER));
        header.map(Section::parse).ok_or(outside)
    }

    /// The data of a string table, which ends with NUL.
    fn strings(&self, index: usize) -> Result<&'a [u8], Error> {
        let section = self.section(index)?;
        let data = range(self.bytes, section.offset, section.size)
            .ok_or(Error::outside("section", index))?;
        let ends = data.last().is_none_or(|&last| last == 0);
        if section.kind == SHT_STRTAB && ends {
            Ok(data)
        } else {
            Err(Error::Name)
        }
    }

    fn symbols(&self, index: usize, section: Section, data: &[u8]) -> Result<(), Error> {
        let outside = Error::outside("symbol table", index);
        if section.entry_size != SYMBOL as u64 || !data.len().is_multiple_of(SYMBOL) {
            return Err(outside);
        }
        let names = self.strings(section.link as usize)?;
        for symbol in data.chunks_exact(SYMBOL) {
            name(names, u32_at(symbol, 0)).ok_or(Error::Name)?;
            let place = u16_at(symbol, 6);
            if place == 0 || place >= SHN_LORESERVE {
                continue;
            }
            let place = self
                .section(usize::from(place))
                .map_err(|_| outside.clone())?;
            let (value, size) = (u64_at(symbol, 8), u64_at(symbol, 16));
            let is_inside = value.checked_add(size).is_some_and(|end| end <= place.size);
            // Other symbols may have a value that is no place.
            if matches!(symbol[4] & 0xf, STT_OBJECT | STT_FUNC) && place.has_bytes() && !is_inside {
                return Err(outside);
            }
        }
        Ok(())
    }

    fn relocations(
        &self,
        index: usize,
        section: Section,
        data: &[u8],
        entry_size: usize,
    ) -> Result<(), Error> {
        let outside = Error::outside("relocation table", index);
        let symbols = self.section(section.link as usize)?;
        let target = self.section(section.info as usize)?;
        let is_table = matches!(symbols.kind, SHT_SYMTAB | SHT_DYNSYM);
        if section.entry_size != entry_size as u64
            || !data.len().is_multiple_of(entry_size)
            || !is_table
        {
            return Err(outside);
        }
        let count = symbols.size / SYMBOL as u64;
        let fits = |entry: &[u8]| {
            let (offset, symbol) = (u64_at(entry, 0), u64_at(entry, 8) >> 32);
            offset < target.size && symbol < count
        };
        if data.chunks_exact(entry_size).all(fits) {
            Ok(())
        } else {
            Err(outside)
        }
    }
}

impl Section {
    /// Whether it has bytes in the file, rather than being memory of the GPU alone.
    const fn has_bytes(&self) -> bool {
        !matches!(
            self.kind,
            SHT_NOBITS | SHT_CUDA_GLOBAL | SHT_CUDA_LOCAL | SHT_CUDA_SHARED
        )
    }

    fn parse(header: &[u8]) -> Self {
        Self {
            name: u32_at(header, 0),
            kind: u32_at(header, 4),
            flags: u64_at(header, 8),
            offset: u64_at(header, 24),
            size: u64_at(header, 32),
            link: u32_at(header, 40),
            info: u32_at(header, 44),
            align: u64_at(header, 48),
            entry_size: u64_at(header, 56),
        }
    }
}

/// Notes one after another: three sizes, then name and description, each padded to 4 bytes.
fn notes(mut data: &[u8]) -> Option<()> {
    while data.iter().any(|&byte| byte != 0) {
        let header = data.get(..12)?;
        let padded = |at| (u32_at(header, at) as usize).checked_next_multiple_of(4);
        let end = padded(0)?.checked_add(padded(4)?)?.checked_add(12)?;
        // The last one need not be padded.
        if end > data.len().checked_next_multiple_of(4)? {
            return None;
        }
        data = data.get(end..).unwrap_or_default();
    }
    Some(())
}

/// The name at `offset`, or its beginning: there is a NUL behind it, as the table ends with one.
fn name(strings: &[u8], offset: u32) -> Option<&[u8]> {
    if offset == 0 && strings.is_empty() {
        return Some(&[]);
    }
    let rest = strings
        .get(offset as usize..)
        .filter(|rest| !rest.is_empty())?;
    // Only the beginning is compared: names that share their ends would take quadratic time.
    Some(&rest[..rest.len().min(PREFIX.len())]).map(|start| {
        match start.iter().position(|&b| b == 0) {
            Some(end) => &start[..end],
            None => start,
        }
    })
}

fn table(bytes: &[u8], offset: u64, count: usize, size: usize) -> Option<&[u8]> {
    range(bytes, offset, u64::try_from(count.checked_mul(size)?).ok()?)
}

fn range(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    bytes.get(start..end)
}

fn position(value: u64) -> Result<usize, Error> {
    usize::try_from(value).map_err(|_| Error::outside("the table of section headers", 0))
}

/// Numbers of a header whose size was checked.
fn u16_at(header: &[u8], at: usize) -> u16 {
    read(header, at).map_or(0, u16::from_le_bytes)
}

fn u32_at(header: &[u8], at: usize) -> u32 {
    read(header, at).map_or(0, u32::from_le_bytes)
}

fn u64_at(header: &[u8], at: usize) -> u64 {
    read(header, at).map_or(0, u64::from_le_bytes)
}

fn read<const N: usize>(header: &[u8], at: usize) -> Option<[u8; N]> {
    header.get(at..)?.first_chunk().copied()
}
