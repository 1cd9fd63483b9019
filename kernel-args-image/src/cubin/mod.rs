//! What a cubin says of its kernels: a record of offset and size for each parameter, launch bounds,
//! and the GPU generation.
//!
//! The format is not documented. What is read here was found in the output of ptxas 13.0 and
//! nvcc 13.0 for sm_75 to sm_120, by compiling PTX whose parameters are known.

mod error;
mod info;
mod validate;

pub use error::Error;

use crate::{directives::Directives, join::add_types, mangled::Demangled, ptx::Pointee};
use alloc::{borrow::Cow, collections::BTreeMap, string::String, vec::Vec};
use info::Info;
use kernel_args_abi::{param_layout::Sm, signature};
use object::{
    LittleEndian as Le, elf,
    read::elf::{FileHeader as _, SectionHeader as _, Sym as _},
};

/// ELF's number for NVIDIA GPUs: `e_machine`, `EM_CUDA`.
pub const MACHINE: u16 = 190;
/// The type of the `.nv.info` sections.
const INFO: u32 = elf::SHT_LOPROC;
/// In a symbol's `st_other`: it is a kernel, not a device function.
const ENTRY: u8 = 0x10;
const PREFIX: &[u8] = b".nv.info.";
/// The section with the records of all functions.
const GLOBAL: &[u8] = b".nv.info";
/// The section of a kernel's shared memory.
const SHARED: &[u8] = b".nv.shared.";
/// The longest name that is read, in bytes: a file of overlapping names would take quadratic time.
const NAME_LIMIT: usize = 32 << 10;

/// A cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cubin<'a> {
    /// The GPU generation that it is for.
    pub sm: Sm,
    /// Its kernels, in the order of its symbols.
    pub kernels: Vec<Kernel<'a>>,
}

/// A kernel of a cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Kernel<'a> {
    /// Its symbol: `saxpy`, `_Z5saxpyifPKfPf`.
    pub name: Cow<'a, str>,
    /// In order.
    pub parameters: Vec<Parameter>,
    /// Size of the parameter block in bytes: the end of its last parameter.
    pub size: usize,
    /// What it demands of a launch, except for the directives that cubins do not contain.
    pub directives: Directives,
    /// What it takes of a multiprocessor.
    pub resources: Resources,
}

/// What a kernel takes of a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Resources {
    /// Registers of a thread, where the cubin contains their number.
    pub registers: Option<u32>,
    /// Shared memory of a block whose size the kernel fixes, in bytes: its section `.nv.shared.<symbol>`. A relocatable cubin
    /// does not count what the linker adds.
    pub static_shared: u64,
}

/// The record of one parameter. It tells neither alignment nor type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// From the beginning of the parameter block, in bytes. The GPU generation has its part in it where
    /// alignments are above 16 bytes.
    pub offset: usize,
    /// In bytes. 0 for a texture or surface reference, which takes no argument.
    pub size: usize,
    /// PTX's `.ptr`, where the compiler wrote one: nvcc 13.0 does for sm_100 and newer. From sm_90 on
    /// ptxas makes `.const` of a scalar `.global`. An alignment of 1 is not told from none.
    pub pointee: Option<Pointee>,
}

/// Checks all headers of a cubin, and reads it: see [`image::validate`](crate::validate).
pub(crate) fn validate(bytes: &[u8]) -> Result<(), Error> {
    parse(bytes)?;
    validate::validate(bytes)
}

/// Reads a cubin. Its bytes may lie at any address.
///
/// # Errors
/// Where it is not an ELF file for NVIDIA GPUs, or its kernels' records are not as expected.
pub fn parse(bytes: &[u8]) -> Result<Cubin<'_>, Error> {
    if bytes.get(4) == Some(&elf::ELFCLASS32.0) && bytes.starts_with(&elf::ELFMAG) {
        return Err(Error::Bits32);
    }
    let header = elf::FileHeader64::<Le>::parse(bytes).map_err(Error::Elf)?;
    header.endian().map_err(Error::Elf)?;
    let machine = header.e_machine(Le);
    if machine.0 != MACHINE {
        return Err(Error::Machine(machine.0));
    }
    let sections = header.sections(Le, bytes).map_err(Error::Elf)?;
    let names_at = header
        .section_strings_index(Le, bytes)
        .map_err(Error::Elf)?;
    let names = sections
        .section(names_at)
        .and_then(|section| section.data(Le, bytes))
        .map_err(Error::Elf)?;
    let mut infos = BTreeMap::new();
    let mut shared = BTreeMap::new();
    let mut registers = BTreeMap::new();
    // Sections do not overlap; if they did, the records of a small file could fill any memory.
    let mut left = bytes.len();
    for section in sections.iter() {
        let kind = section.sh_type(Le);
        if kind == elf::SHT_NOBITS {
            // A section without a proper name is none of a kernel's.
            let name = name(names, section.sh_name(Le)).unwrap_or_default();
            if let Some(kernel) = name.strip_prefix(SHARED) {
                left = left.checked_sub(kernel.len()).ok_or(Error::Overlap)?;
                shared.insert(kernel, section.sh_size(Le));
            }
        }
        if kind != elf::SectionType(INFO) {
            continue;
        }
        let name = name(names, section.sh_name(Le))?;
        let kernel = name.strip_prefix(PREFIX);
        if kernel.is_none() && name != GLOBAL {
            continue;
        }
        let info: &[u8] = section.data(Le, bytes).map_err(Error::Elf)?;
        left = left.checked_sub(info.len()).ok_or(Error::Overlap)?;
        match kernel {
            Some(kernel) => _ = infos.insert(kernel, info),
            None => info::registers(info, &mut registers),
        }
    }
    let symbols = sections
        .symbols(Le, bytes, elf::SHT_SYMTAB)
        .map_err(Error::Elf)?;
    let names = if symbols.is_empty() {
        &[]
    } else {
        sections
            .section(symbols.string_section())
            .and_then(|section| section.data(Le, bytes))
            .map_err(Error::Elf)?
    };
    let mut kernels = Vec::new();
    let mut left = bytes.len();
    for (index, symbol) in symbols.enumerate().filter(|(_, symbol)| {
        symbol.st_type().0 == elf::STT_FUNC.0
            && symbol.st_other().0 & ENTRY != 0
            && !symbol.is_undefined(Le)
    }) {
        let name = name(names, symbol.st_name(Le))?;
        left = left.checked_sub(name.len()).ok_or(Error::Overlap)?;
        let text = core::str::from_utf8(name).map_err(|_| Error::Name)?;
        let info = infos
            .remove(name)
            .ok_or_else(|| Error::kernel(text, "it has no `.nv.info` section"))?;
        let info = Info::parse(info).map_err(|what| Error::kernel(text, what))?;
        let mut kernel = Kernel::new(text, &info)?;
        let index = u32::try_from(index.0).ok();
        kernel.resources = Resources {
            registers: index.and_then(|index| registers.remove(&index)),
            static_shared: shared.remove(name).unwrap_or(0),
        };
        kernels.push(kernel);
    }
    Ok(Cubin {
        sm: sm(header),
        kernels,
    })
}

/// The GPU generation of a cubin, by its header alone.
pub(crate) fn sm_of(bytes: &[u8]) -> Result<Sm, Error> {
    let header = elf::FileHeader64::<Le>::parse(bytes).map_err(Error::Elf)?;
    Ok(sm(header))
}

fn sm(header: &elf::FileHeader64<Le>) -> Sm {
    let flags = header.e_flags(Le).0;
    let sm = match header.e_ident.os_abi.0 {
        // CUDA 13 and newer.
        0x41 => flags >> 8 & 0xff,
        _ => flags & 0xff,
    };
    Sm(sm as u16)
}

/// The name at `offset` of a string table.
fn name(strings: &[u8], offset: u32) -> Result<&[u8], Error> {
    let rest = usize::try_from(offset)
        .ok()
        .and_then(|at| strings.get(at..));
    let rest = rest.ok_or(Error::Name)?;
    let window = &rest[..rest.len().min(NAME_LIMIT)];
    match window.iter().position(|&b| b == 0) {
        Some(end) => Ok(&window[..end]),
        None => Err(Error::Name),
    }
}

impl Cubin<'_> {
    /// The same without the file.
    pub(crate) fn into_owned(self) -> Cubin<'static> {
        let kernels = self.kernels.into_iter().map(|kernel| Kernel {
            name: Cow::Owned(kernel.name.into_owned()),
            ..kernel
        });
        Cubin {
            sm: self.sm,
            kernels: kernels.collect(),
        }
    }

    /// How much memory its kernels take, in bytes, about.
    pub(crate) fn weight(&self) -> usize {
        let weight = |kernel: &Kernel<'_>| {
            size_of::<Kernel<'_>>()
                + kernel.name.len()
                + size_of::<Parameter>() * kernel.parameters.len()
        };
        self.kernels.iter().map(weight).sum()
    }

    /// The kernel of this symbol.
    #[must_use]
    pub fn kernel(&self, symbol: &str) -> Option<&Kernel<'_>> {
        self.kernels.iter().find(|kernel| kernel.name == symbol)
    }
}

impl<'a> Kernel<'a> {
    fn new(name: &'a str, info: &Info) -> Result<Self, Error> {
        let mut records = info.parameters.clone();
        records.sort_by_key(|&(ordinal, _)| ordinal);
        let in_order = records
            .iter()
            .enumerate()
            .all(|(i, &(ordinal, _))| i == usize::from(ordinal));
        if !in_order {
            return Err(Error::kernel(
                name,
                "its parameters are not numbered from 0 without gaps",
            ));
        }
        let parameters: Vec<Parameter> = records
            .into_iter()
            .map(|(_, parameter)| parameter)
            .collect();
        let size = info.size.unwrap_or(0);
        let is_inside = |p: &Parameter| p.size == 0 || p.offset + p.size <= size;
        if !parameters.iter().all(is_inside) {
            return Err(Error::kernel(
                name,
                "a parameter lies outside of its parameter block",
            ));
        }
        Ok(Self {
            name: Cow::Borrowed(name),
            parameters,
            size,
            directives: info.directives,
            resources: Resources::default(),
        })
    }

    /// The parameters in the common model: offsets and sizes from the records, C++ types from
    /// `demangled` where its list is as long as that of the records.
    #[must_use]
    pub fn signature_parameters<'s>(
        &self,
        demangled: Option<&'s Demangled>,
    ) -> Vec<signature::Parameter<'s>> {
        let parameter = |parameter: &Parameter| {
            let mut read = signature::Parameter::record(parameter.offset, parameter.size);
            if parameter.pointee.is_some() && matches!(parameter.size, 4 | 8) {
                read.class = kernel_args_abi::Class::Pointer;
            }
            read
        };
        let mut parameters = self.parameters.iter().map(parameter).collect::<Vec<_>>();
        add_types(&mut parameters, demangled);
        parameters
    }
}

impl Error {
    #[cold]
    const fn outside(what: &'static str, index: usize) -> Self {
        Self::Outside { what, index }
    }

    #[cold]
    fn kernel(name: &str, what: &'static str) -> Self {
        Self::Kernel {
            name: String::from(name),
            what,
        }
    }
}
