//! Errors of reading debug information.

use crate::formats::{cubin, ptx};
use alloc::string::String;
#[cfg(feature = "debug-info")]
use alloc::string::ToString;
use core::fmt;

/// Why debug information cannot be read, completely or in part.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The feature `debug-info` is disabled.
    Feature,
    /// The cubin cannot be read.
    Cubin(cubin::Error),
    /// The PTX text, or a section of debug information in it, cannot be read.
    Ptx(ptx::Error),
    /// A section is compressed.
    Compressed(&'static str),
    /// It is inconsistent, or not DWARF 2 to 5: the reason.
    Dwarf(String),
    /// Reading it would take more time or memory than its size justifies, because entries refer to each other repeatedly.
    Size,
    /// A kernel has parameters that a kernel cannot have, or a parameter of unknown size.
    Kernel {
        /// The kernel's symbol.
        name: String,
        /// The reason.
        what: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Feature => f.write_str(
                "debug information, which requires the feature `debug-info` of `kernel-args`: enable the feature in `Cargo.toml`",
            ),
            Self::Cubin(error) => error.fmt(f),
            Self::Ptx(error) => write!(f, "PTX whose debug information cannot be parsed: {error}"),
            Self::Compressed(section) => write!(
                f,
                "debug information whose section `{section}` is compressed: decompress it with `objcopy --decompress-debug-sections`"
            ),
            Self::Dwarf(what) => write!(f, "debug information that cannot be read as DWARF 2 to 5: {what}"),
            Self::Size => f.write_str(
                "debug information whose entries refer to each other more often than its size explains",
            ),
            Self::Kernel { name, what } => write!(
                f,
                "debug information that does not contain the parameters of kernel `{name}`: {what}"
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
