//! Reads the data that ptxas writes into a cubin about each kernel: an independent reader of the `.nv.info` sections,
//! without code of the crates under test.
//!
//! `.nv.info.<kernel>` is a list of records `{u8 format, u8 attribute, …}`: format 4 has a `u16` length and that many
//! bytes, all other formats a 2-byte value.

use std::{collections::BTreeMap, sync::Arc};

use object::{
    Endianness, LittleEndian,
    elf::{FileHeader64, SHT_NOBITS, STT_FUNC, STT_OBJECT},
    read::{
        SectionIndex,
        elf::{FileHeader, SectionHeader, SectionTable, Sym, SymbolTable},
    },
};

use crate::{
    error::Status,
    images::image::{Image, Kernel, Parameter, Refusal, Variable},
};

/// `e_machine` of CUDA code.
pub(crate) const MACHINE: u16 = 190;
/// `EI_OSABI` of cubins up to CUDA 12 and since CUDA 13. It decides which part of `e_flags` contains the SM.
pub(crate) const ABI_12: u8 = 0x33;
pub(crate) const ABI_13: u8 = 0x41;
/// `st_other` of a kernel's symbol. For a device function it is 0.
pub(crate) const ENTRY: u8 = 0x10;

/// Attributes of `.nv.info` records.
pub(crate) mod attribute {
    pub(crate) const MAX_THREADS: u8 = 0x05;
    pub(crate) const REQUIRED_THREADS: u8 = 0x10;
    pub(crate) const PARAMETER: u8 = 0x17;
    pub(crate) const BLOCK_SIZE: u8 = 0x19;
    pub(crate) const REGISTERS: u8 = 0x2f;
    pub(crate) const CLUSTER: u8 = 0x3d;
    pub(crate) const PARAMETER_V2: u8 = 0x45;
    pub(crate) const BLOCKS_ARE_CLUSTERS: u8 = 0x5b;
    pub(crate) const LANGUAGE: u8 = 0x66;
}

/// Returns the part of `.nv.shared.<kernel>` before the kernel's own variables: since sm_90, ptxas places them after
/// the 1024 bytes that the system reserves in each block (seen in cubins of ptxas 13.0).
pub(crate) fn reserved_shared(sm: u32) -> u32 {
    if sm >= 90 { 1024 } else { 0 }
}

/// The section of a linked cubin with the PTX from which this driver executes it.
pub(crate) const PTX: &str = ".kernel_args.ptx";

type Header = FileHeader64<Endianness>;

/// Reads a cubin for a device of compute capability `sm`.
pub(crate) fn read(bytes: &[u8], sm: u32) -> Result<Image, Refusal> {
    let elf =
        Elf::parse(bytes).map_err(|error| Refusal::new(Status::INVALID_IMAGE, format!("not a cubin: {error}")))?;
    let built_for = elf.sm;
    // Machine code runs on its own major version, from its minor version on.
    if built_for / 10 != sm / 10 || built_for > sm {
        let text = format!("the cubin is for sm_{built_for}, this device is sm_{sm}");
        return Err(Refusal::new(Status::NO_BINARY_FOR_GPU, text));
    }
    elf.image().map_err(|error| Refusal::new(Status::INVALID_IMAGE, format!("a cubin that cannot be read: {error}")))
}

struct Elf<'a> {
    bytes: &'a [u8],
    sm: u32,
    sections: SectionTable<'a, Header>,
    symbols: SymbolTable<'a, Header>,
}

/// A record of `.nv.info`.
struct Record<'a> {
    attribute: u8,
    payload: &'a [u8],
}

impl<'a> Elf<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, object::read::Error> {
        let header = Header::parse(bytes)?;
        let endian = header.endian()?;
        let flags = header.e_flags(endian).0;
        let sm = match (header.e_machine(endian).0, header.e_ident().os_abi.0) {
            (MACHINE, ABI_13) => flags >> 8 & 0xff,
            (MACHINE, ABI_12) => flags & 0xff,
            // No SM matches: the caller gets the error for a foreign image.
            _ => 0,
        };
        let sections = header.sections(endian, bytes)?;
        let symbols = sections.symbols(endian, bytes, object::elf::SHT_SYMTAB)?;
        Ok(Self { bytes, sm, sections, symbols })
    }

    fn image(&self) -> Result<Image, object::read::Error> {
        let registers = self.registers()?;
        let mut image = Image::default();
        for (index, symbol) in self.symbols.enumerate() {
            let name = String::from_utf8_lossy(self.symbols.symbol_name(Endianness::Little, symbol)?).into_owned();
            if symbol.st_type() == STT_FUNC && symbol.st_other().0 & ENTRY != 0 {
                let mut kernel = self.kernel(name)?;
                kernel.registers = registers.get(&index.0).copied().unwrap_or(kernel.registers);
                image.kernels.push(Arc::new(kernel));
            } else if symbol.st_type() == STT_OBJECT {
                image.variables.extend(self.variable(name, symbol)?);
            }
        }
        let texts = self.section(PTX)?.unwrap_or_default().split(|byte| *byte == 0);
        Ok(image.with_program(texts.filter(|text| !text.is_empty()).map(Arc::from).collect()))
    }

    fn section(&self, name: &str) -> Result<Option<&'a [u8]>, object::read::Error> {
        let found = self.sections.section_by_name(Endianness::Little, name.as_bytes());
        found.map(|(_, section)| section.data(Endianness::Little, self.bytes)).transpose()
    }

    /// Returns the size of a section that may have no bytes in the file.
    fn section_size(&self, name: &str) -> u32 {
        let found = self.sections.section_by_name(Endianness::Little, name.as_bytes());
        found.map_or(0, |(_, section)| section.sh_size(Endianness::Little) as u32)
    }

    fn kernel(&self, name: String) -> Result<Kernel, object::read::Error> {
        let mut kernel = Kernel {
            max_threads: 1024,
            registers: 32,
            static_shared: self.section_size(&format!(".nv.shared.{name}")).saturating_sub(reserved_shared(self.sm)),
            ptx_version: self.sm,
            binary_version: self.sm,
            ..Kernel::default()
        };
        let mut parameters = BTreeMap::new();
        for record in records(self.section(&format!(".nv.info.{name}"))?.unwrap_or_default()) {
            match record.attribute {
                attribute::PARAMETER => {
                    let place = Parameter { offset: record.short(6), size: (record.word(8) >> 18) as usize };
                    parameters.insert(record.short(4), place);
                }
                attribute::PARAMETER_V2 => {
                    let place = Parameter { offset: record.short(6), size: record.short(8) };
                    parameters.insert(record.short(4), place);
                }
                attribute::MAX_THREADS => kernel.max_threads = record.extents().iter().product(),
                attribute::REQUIRED_THREADS => {
                    kernel.max_threads = record.extents().iter().product();
                    kernel.required_threads = Some(record.extents());
                }
                // A kernel of CUDA Tile: driver 580 accepts a block of 1 thread, or of the threads that the compiler
                // has selected.
                attribute::LANGUAGE => kernel.is_tile = record.word(0) == 7,
                attribute::CLUSTER => kernel.cluster = Some(record.extents()),
                attribute::BLOCKS_ARE_CLUSTERS => kernel.blocks_are_clusters = true,
                _ => {}
            }
        }
        kernel.name = name;
        kernel.parameters = parameters.into_values().collect();
        Ok(kernel)
    }

    /// Registers by kernel symbol, from the records of the module's own `.nv.info`.
    fn registers(&self) -> Result<BTreeMap<usize, u32>, object::read::Error> {
        let records = records(self.section(".nv.info")?.unwrap_or_default());
        Ok(records
            .filter(|record| record.attribute == attribute::REGISTERS)
            .map(|record| (record.word(0) as usize, record.word(4)))
            .collect())
    }

    /// Returns a variable of global or constant memory.
    fn variable(
        &self,
        name: String,
        symbol: &object::elf::Sym64<Endianness>,
    ) -> Result<Option<Variable>, object::read::Error> {
        let index = SectionIndex(usize::from(symbol.st_shndx(Endianness::Little).0));
        let Ok(section) = self.sections.section(index) else {
            return Ok(None);
        };
        let section_name = self.sections.section_name(Endianness::Little, section)?;
        if !(section_name.starts_with(b".nv.global") || section_name == b".nv.constant3") {
            return Ok(None);
        }
        let (start, size) = (symbol.st_value(Endianness::Little) as usize, symbol.st_size(Endianness::Little) as usize);
        let initial = section.data(Endianness::Little, self.bytes)?.get(start..start.saturating_add(size));
        let room = section.sh_size(Endianness::Little) as usize;
        if start.saturating_add(size) > room {
            return Ok(None);
        }
        let bytes = initial.map_or_else(|| vec![0; size], <[u8]>::to_vec);
        Ok(Some(Variable { name, bytes, relocations: Vec::new() }))
    }
}

impl Record<'_> {
    fn short(&self, at: usize) -> usize {
        self.payload.get(at..at + 2).map_or(0, |bytes| usize::from(u16::from_le_bytes([bytes[0], bytes[1]])))
    }

    fn word(&self, at: usize) -> u32 {
        self.short(at) as u32 | (self.short(at + 2) as u32) << 16
    }

    fn extents(&self) -> [u32; 3] {
        [self.word(0), self.word(4), self.word(8)].map(|extent| extent.max(1))
    }
}

fn records(mut rest: &[u8]) -> impl Iterator<Item = Record<'_>> {
    std::iter::from_fn(move || {
        let [format, attribute, low, high, tail @ ..] = rest else {
            return None;
        };
        let length = if *format == 4 { usize::from(u16::from_le_bytes([*low, *high])) } else { 0 };
        let payload = tail.get(..length)?;
        rest = &tail[length..];
        Some(Record { attribute: *attribute, payload })
    })
}

/// Returns the size of the ELF image at an address. `at` reads `length` bytes at an offset: `cuModuleLoadData` gets
/// only the address.
pub(crate) fn length(at: impl Fn(usize, usize) -> Vec<u8>) -> usize {
    use object::U64;
    let long = |offset: usize| {
        let bytes = at(offset, 8);
        U64::<LittleEndian>::from_bytes(bytes.try_into().unwrap_or_default()).get(LittleEndian) as usize
    };
    let short = |offset: usize| {
        let bytes = at(offset, 2);
        usize::from(bytes[0]) | usize::from(bytes[1]) << 8
    };
    let (programs, sections) = (long(0x20), long(0x28));
    let mut end = 0x40.max(programs + short(0x36) * short(0x38));
    let (size, count) = (short(0x3a), short(0x3c));
    end = end.max(sections + size * count);
    for index in 0..count {
        let header = sections + index * size;
        let kind = u32::from_le_bytes(at(header + 4, 4).try_into().unwrap_or_default());
        if kind != SHT_NOBITS.0 {
            end = end.max(long(header + 0x18) + long(header + 0x20));
        }
    }
    end
}
