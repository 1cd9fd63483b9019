//! Why debug information is not read.

use crate::{cubin, ptx};
use alloc::string::String;
#[cfg(feature = "debug-info")]
use alloc::string::ToString;
use core::fmt;

/// Why the debug information of an image is not read, in whole or in part.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is some, and it is read with the feature `debug-info` only.
    Feature,
    /// The image itself is not read: a cubin.
    Cubin(cubin::Error),
    /// The image itself is not read, or a section of debug information in it: PTX.
    Ptx(ptx::Error),
    /// A section is compressed.
    Compressed(&'static str),
    /// It is not DWARF of version 2 to 5, or contradicts itself: what is wrong.
    Dwarf(String),
    /// Reading it would take more time and memory than its size explains: entries that refer to each other over and over.
    Size,
    /// A kernel's entry tells other parameters than a kernel can have, or one of unknown size.
    Kernel {
        /// The kernel's symbol.
        name: String,
        /// What is wrong.
        what: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Feature => f.write_str(
                "debug information, which is read with the feature `debug-info` of `kernel-args` only: enable the feature in `Cargo.toml`",
            ),
            Self::Cubin(error) => error.fmt(f),
            Self::Ptx(error) => write!(f, "PTX whose debug information does not parse: {error}"),
            Self::Compressed(section) => write!(
                f,
                "debug information whose section `{section}` is compressed: decompress it with `objcopy --decompress-debug-sections`"
            ),
            Self::Dwarf(what) => write!(f, "debug information that is not read as DWARF 2 to 5: {what}"),
            Self::Size => f.write_str(
                "debug information whose entries refer to each other more often than its size explains",
            ),
            Self::Kernel { name, what } => write!(
                f,
                "debug information that does not describe the parameters of kernel `{name}`: {what}"
            ),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "debug-info")]
impl From<gimli::Error> for Error {
    #[cold]
    fn from(error: gimli::Error) -> Self {
        Self::Dwarf(error.to_string())
    }
}
