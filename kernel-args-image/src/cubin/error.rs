//! Why bytes are not a cubin.

use alloc::string::String;
use core::fmt;

/// Why bytes are not a cubin that can be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// It is no ELF file of 64 bits, or its headers or tables are outside of it: what is wrong.
    Elf(&'static str),
    /// It is for another machine: the number in its header.
    Machine(u16),
    /// It is for 32-bit device code, which CUDA dropped.
    Bits32,
    /// What a header names lies outside of the file, or its numbers do not fit together.
    Outside {
        /// Which header or table.
        what: &'static str,
        /// Its number.
        index: usize,
    },
    /// The name of a section or kernel lies outside of the file, is not UTF-8, or is longer than 32 KiB.
    Name,
    /// Sections with records, or the names of kernels, lie over each other.
    Overlap,
    /// The records of a kernel are not as expected.
    Kernel {
        /// Its symbol.
        name: String,
        /// What is not as expected.
        what: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elf(error) => write!(f, "not a cubin: {error}"),
            Self::Machine(machine) => write!(
                f,
                "not a cubin: an ELF file for machine {machine}, where NVIDIA GPUs have 190"
            ),
            Self::Bits32 => f.write_str("a cubin of 32-bit device code, which CUDA no longer runs"),
            Self::Outside { what, index: 0 } => write!(
                f,
                "a cubin whose headers do not fit the file: {what} is wrong or ends outside of it"
            ),
            Self::Outside { what, index } => write!(
                f,
                "a cubin whose headers do not fit the file: {what} {index} is wrong or ends outside of it"
            ),
            Self::Name => {
                f.write_str("a cubin in which a name lies outside of the file or is not UTF-8")
            }
            Self::Overlap => {
                f.write_str("a cubin whose `.nv.info` sections or kernel names lie over each other")
            }
            Self::Kernel { name, what } => {
                write!(f, "a cubin whose kernel `{name}` cannot be read: {what}")
            }
        }
    }
}

impl core::error::Error for Error {}

impl Error {
    #[cold]
    pub(super) const fn outside(what: &'static str, index: usize) -> Self {
        Self::Outside { what, index }
    }

    #[cold]
    pub(super) fn kernel(name: &str, what: &'static str) -> Self {
        Self::Kernel {
            name: String::from(name),
            what,
        }
    }
}
