//! Reads a cubin.

use super::{
    Error,
    info::{self, Info},
    kernel::{Cubin, Kernel, Resources, Variable},
};
use crate::prelude::*;
use crate::{
    code::VariableSpace,
    formats::{
        bytes::{u16_at, u32_at},
        elf::{self, Elf},
    },
};
use kernel_args_abi::Sm;

/// The ELF machine number of NVIDIA GPUs: `e_machine`, `EM_CUDA`.
pub const MACHINE: u16 = 190;
pub(super) const INFO: u32 = elf::SHT_LOPROC;
pub(super) const PREFIX: &[u8] = b".nv.info.";
pub(super) const GLOBAL: &[u8] = b".nv.info";
const SHARED: &[u8] = b".nv.shared.";
/// The bit of `st_other` that marks a kernel, not a device function.
const ENTRY: u8 = 0x10;
/// The bit of `st_other` that marks a `__managed__` variable.
const MANAGED: u8 = 0x04;
/// In bytes: a file of overlapping names would take quadratic time.
const NAME_LIMIT: usize = 32 << 10;

/// Reads a cubin. The bytes need no alignment.
///
/// # Errors
/// If it is not an ELF file for NVIDIA GPUs, or its kernels' records are invalid.
pub fn parse(bytes: &[u8]) -> Result<Cubin<'_>, Error> {
    const CLASS_32: u8 = 1;
    if bytes.get(4) == Some(&CLASS_32) && bytes.starts_with(elf::MAGIC) {
        // The machine is at the same place as in a 64-bit file.
        return Err(match u16_at(bytes, 18) {
            Some(MACHINE) | None => Error::Bits32,
            Some(machine) => Error::Machine(machine),
        });
    }
    let header = elf::header(bytes).map_err(Error::Elf)?;
    let machine = u16_at(header, 18).unwrap_or(0);
    if machine != MACHINE {
        return Err(Error::Machine(machine));
    }
    let elf = Elf::parse(bytes).map_err(Error::Elf)?;
    let names = elf.section_names().map_err(Error::Elf)?;
    let (symbols, symbol_names) = elf.symbols().map_err(Error::Elf)?;
    let mut of_kernels: Map<Vec<u8>, (Option<&[u8]>, u64)> = Map::default();
    let mut registers = vec![None; symbols.len()];
    let mut spaces = vec![None; elf.len()];
    // Sections do not overlap. Otherwise the records of a small file could fill any amount of memory.
    let mut left = bytes.len();
    for (section, space) in elf.sections().zip(&mut spaces) {
        if section.flags & ALLOCATED != 0 && section.kind != INFO {
            *space = elf::name(names, section.name, LONGEST_SPACE).and_then(space_of);
        }
        if section.kind == elf::SHT_NOBITS {
            // A section without a valid name does not belong to a kernel.
            let name = elf::name(names, section.name, NAME_LIMIT).unwrap_or_default();
            if let Some(kernel) = name.strip_prefix(SHARED) {
                left = left.checked_sub(kernel.len()).ok_or(Error::Overlap)?;
                of_kernels.entry(kernel.to_vec(), (None, 0)).0.1 = section.size;
            }
        }
        if section.kind != INFO {
            continue;
        }
        let name = elf::name(names, section.name, NAME_LIMIT).ok_or(Error::Name)?;
        let kernel = name.strip_prefix(PREFIX);
        if kernel.is_none() && name != GLOBAL {
            continue;
        }
        let info = elf.data(&section).map_err(Error::Elf)?;
        left = left.checked_sub(info.len()).ok_or(Error::Overlap)?;
        match kernel {
            Some(kernel) => of_kernels.entry(kernel.to_vec(), (None, 0)).0.0 = Some(info),
            None => info::registers(info, &mut registers),
        }
    }
    let (mut kernels, mut variables) = (Vec::new(), Vec::new());
    let mut left = bytes.len();
    for (symbol, registers) in symbols.zip(registers) {
        if symbol.kind == elf::STT_OBJECT
            && let Some(&Some(space)) = spaces.get(usize::from(symbol.section))
            && let Some(name) = elf::name(symbol_names, symbol.name, NAME_LIMIT)
            && let Some(size) = usize::try_from(symbol.size).ok().filter(|size| *size > 0)
        {
            left = left.checked_sub(name.len()).ok_or(Error::Overlap)?;
            let space = match space {
                VariableSpace::Global if symbol.other & MANAGED != 0 => VariableSpace::Managed,
                space => space,
            };
            let name = core::str::from_utf8(name).ok();
            variables.extend(name.map(|name| Variable::new(name, space, size)));
        }
        if symbol.kind != elf::STT_FUNC || symbol.other & ENTRY == 0 || symbol.section == 0 {
            continue;
        }
        let name = elf::name(symbol_names, symbol.name, NAME_LIMIT).ok_or(Error::Name)?;
        left = left.checked_sub(name.len()).ok_or(Error::Overlap)?;
        let text = core::str::from_utf8(name).map_err(|_| Error::Name)?;
        let (info, shared) = core::mem::take(of_kernels.entry(name.to_vec(), (None, 0)).0);
        let info = info.ok_or_else(|| Error::kernel(text, "it has no `.nv.info` section"))?;
        let mut kernel =
            Info::parse(info).and_then(|info| kernel(text, info)).map_err(|what| Error::kernel(text, what))?;
        kernel.resources = Resources { registers, static_shared: shared };
        kernels.push(kernel);
    }
    Ok(Cubin { sm: sm(header), kernels, variables })
}

const ALLOCATED: u64 = 2;
const LONGEST_SPACE: usize = 32;

fn space_of(section: &[u8]) -> Option<VariableSpace> {
    match section {
        b".nv.global" | b".nv.global.init" => Some(VariableSpace::Global),
        // The other banks contain parameters, and constants of the compiler.
        b".nv.constant3" => Some(VariableSpace::Constant),
        _ => None,
    }
}

pub(crate) fn sm_of(bytes: &[u8]) -> Result<Sm, Error> {
    elf::header(bytes).map(sm).map_err(Error::Elf)
}

fn sm(header: &[u8; elf::HEADER]) -> Sm {
    const OS_ABI: usize = 7;
    let flags = u32_at(header, 48).unwrap_or(0);
    let sm = match header[OS_ABI] {
        // CUDA 13 and newer.
        0x41 => flags >> 8 & 0xff,
        _ => flags & 0xff,
    };
    Sm(sm as u16)
}

fn kernel(name: &str, info: Info) -> Result<Kernel<'_>, &'static str> {
    const ORDER: &str = "its parameters are not numbered from 0 without gaps";
    let mut parameters = vec![None; info.parameters.len()];
    for (ordinal, parameter) in info.parameters {
        *parameters.get_mut(usize::from(ordinal)).ok_or(ORDER)? = Some(parameter);
    }
    let parameters = parameters.into_iter().collect::<Option<Vec<_>>>().ok_or(ORDER)?;
    let size = info.size.unwrap_or(0);
    if !parameters.iter().all(|p| p.size == 0 || p.offset + p.size <= size) {
        return Err("a parameter is outside of its parameter block");
    }
    Ok(Kernel {
        name: Cow::Borrowed(name),
        parameters,
        size,
        directives: info.directives,
        resources: Resources::default(),
    })
}
