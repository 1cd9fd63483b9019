//! Reads cubins: the offset and size of each parameter, launch bounds, and the GPU generation.
//!
//! The format is not documented. The rules come from the output of ptxas 13.0 and nvcc 13.0 for sm_75 to sm_120.

mod info;
mod kernel;
mod read;
mod validate;

pub use kernel::{Cubin, Kernel, Parameter, Resources, Variable};
pub use read::{MACHINE, parse};

pub(crate) use read::sm_of;
pub(crate) use validate::validate;

use crate::prelude::*;

/// Why a cubin cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// It is not a 64-bit ELF file, or its headers or tables are out of bounds: the reason.
    Elf(&'static str),
    /// It is for another machine: the machine number in its header.
    Machine(u16),
    /// It contains 32-bit device code, which CUDA no longer supports.
    Bits32,
    /// A header refers to bytes outside of the file, or contains inconsistent numbers.
    Outside {
        /// The kind of header or table.
        what: &'static str,
        /// Its index.
        index: usize,
    },
    /// The name of a section or kernel is out of bounds, is not UTF-8, or is longer than 32 KiB.
    Name,
    /// Sections with records or tables, or the names of kernels, overlap.
    Overlap,
    /// The records of a kernel are invalid.
    Kernel {
        /// The kernel's symbol.
        name: String,
        /// The reason.
        what: &'static str,
    },
}

display!(error Error, |this, f| {
    match this {
        Self::Elf(error) => write!(f, "not a cubin: {error}"),
        Self::Machine(machine) => {
            let name = machine_name(*machine).map_or_else(|| format!("the ELF machine {machine}"), String::from);
            write!(
                f,
                "not a cubin: an object file, a library or a program for {name}, not for NVIDIA GPUs: `nvcc -cubin` \
                 compiles to a cubin, `nvcc -c` to an object file of the host"
            )
        }
        Self::Bits32 => f.write_str("a cubin with 32-bit device code, which CUDA no longer supports"),
        Self::Outside { what, index } => {
            let index = if *index == 0 { String::new() } else { format!(" {index}") };
            write!(f, "a cubin whose headers do not fit the file: {what}{index} is wrong or ends outside of it")
        }
        Self::Name => f.write_str("a cubin with a name that is outside of the file or not UTF-8"),
        Self::Overlap => f.write_str("a cubin whose sections or names overlap"),
        Self::Kernel { name, what } => {
            write!(f, "a cubin whose kernel `{name}` cannot be read: {what}")
        }
    }
});

/// Returns the name of an ELF machine number (`e_machine`) whose files are often next to cubins.
fn machine_name(machine: u16) -> Option<&'static str> {
    Some(match machine {
        3 => "x86 (32 bits)",
        20 | 21 => "PowerPC",
        40 => "Arm (32 bits)",
        62 => "x86-64",
        183 => "AArch64",
        224 => "AMD GPUs",
        243 => "RISC-V",
        247 => "BPF",
        _ => return None,
    })
}

impl Error {
    #[cold]
    const fn outside(what: &'static str, index: usize) -> Self {
        Self::Outside { what, index }
    }

    #[cold]
    fn kernel(name: &str, what: &'static str) -> Self {
        Self::Kernel { name: String::from(name), what }
    }
}
