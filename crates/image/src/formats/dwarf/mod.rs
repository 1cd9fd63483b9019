//! Debug information about kernels: the names, C++ types and members of their parameters.
//!
//! `nvcc -G` and NVRTC's `--device-debug` write DWARF in cubins (`.debug_info`) and in PTX
//! (`.section .debug_info { … }`) about the parameters of all kernels. A build without debug information has the same
//! parameters. `-lineinfo` alone does not write it.
//!
//! Reading requires the feature `debug-info`. Without it, a kernel's debug information results in [`Error::Feature`].
//!
//! Supported are versions 2 to 5. Compressed sections are an error. Type units (`-fdebug-types-section` of host
//! compilers) are not read; their structs have unknown members.
//!
//! The time is linear in the size of the sections. The stored data is at most 16 times their size plus 1 MiB, and at
//! most 256 MiB. While lists grow, up to three times as much is allocated.
//!
//! nvcc and NVRTC 13.0, whose front end is EDG, write DWARF 2 with these properties:
//! - Types have no namespaces, but enums have mangled names.
//! - Base classes are members whose names begin with `__b_`.
//! - There are no alignments.
//! - `wchar_t`, `char16_t` and pointers to members are the integers that store them.
//! - Enums have no integer type. A 64-bit value above the range of `long long` is negative.
//! - A `long double` has the host's 16 bytes instead of the device's 8: the type of such a parameter is unknown.

#[cfg(feature = "debug-info")]
mod reader;
mod sections;

#[cfg(feature = "debug-info")]
pub use reader::reduce;

#[cfg(feature = "debug-info")]
pub(crate) use reader::{Function, Functions};
pub(crate) use sections::Sections;

use crate::formats::{cubin, ptx};
use crate::prelude::*;
use kernel_args_abi::{Members, signature::stored};

/// The debug information of a cubin or PTX text about kernels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfo {
    /// The format that `kernel_args_abi::signature::stored` reads.
    table: Vec<u8>,
    /// Sorted by symbol, without duplicates, with the numbers of their parameter lists.
    kernels: Vec<(String, usize)>,
    /// The names of variables and their lists: each variable is the only parameter of its list.
    variables: Vec<(String, usize)>,
    errors: Vec<Error>,
}

impl DebugInfo {
    /// Returns the debug information of a cubin about these kernels. Empty if it does not exist.
    ///
    /// # Errors
    /// If the cubin or its debug information cannot be read.
    pub fn of_cubin<'k>(cubin: &[u8], kernels: impl IntoIterator<Item = &'k str>) -> Result<Self, Error> {
        Self::read(Sections::of_cubin(cubin), kernels, [])
    }

    /// Returns the debug information of a PTX text about these kernels. Empty if it does not exist.
    ///
    /// # Errors
    /// If the text or its debug information cannot be read.
    pub fn of_ptx<'k>(text: &[u8], kernels: impl IntoIterator<Item = &'k str>) -> Result<Self, Error> {
        Self::read(Sections::of_ptx(text), kernels, [])
    }

    pub(crate) fn read<'k>(
        sections: Result<Sections<'_>, Error>,
        kernels: impl IntoIterator<Item = &'k str>,
        variables: impl IntoIterator<Item = &'k str>,
    ) -> Result<Self, Error> {
        let sections = sections?;
        if sections.is_empty() {
            return Ok(Self::default());
        }
        #[cfg(feature = "debug-info")]
        return reader::read(&sections, &mut kernels.into_iter(), &mut variables.into_iter());
        #[cfg(not(feature = "debug-info"))]
        match kernels.into_iter().chain(variables).next() {
            Some(_) => Err(Error::Feature),
            None => Ok(Self::default()),
        }
    }

    /// Returns the symbols of the kernels, in alphabetical order.
    #[must_use]
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kernels.iter().map(|(symbol, _)| symbol.as_str())
    }

    /// Returns the parameters of a kernel: names, sizes, classes, C++ types and members, but no offsets.
    #[must_use]
    pub fn parameters(&self, symbol: &str) -> Option<Members<'_>> {
        self.list(&self.kernels, symbol)
    }

    /// Returns a variable as the only parameter of a list.
    #[must_use]
    pub fn variable(&self, symbol: &str) -> Option<Members<'_>> {
        self.list(&self.variables, symbol)
    }

    pub(crate) fn unread(error: Error) -> Self {
        Self { errors: [error].into(), ..Self::default() }
    }

    fn list(&self, lists: &[(String, usize)], symbol: &str) -> Option<Members<'_>> {
        let found = lists.binary_search_by(|(known, _)| known.as_str().cmp(symbol)).ok()?;
        Some(stored::members(&self.table, lists[found].1))
    }

    /// Returns why the parameters of kernels that have an entry are unknown.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    pub(crate) fn weight(&self) -> usize {
        let symbols: usize = self.kernels.iter().chain(&self.variables).map(|(symbol, _)| symbol.len()).sum();
        self.table.capacity()
            + symbols
            + (self.kernels.capacity() + self.variables.capacity()) * size_of::<(String, usize)>()
            + self.errors.capacity() * size_of::<Error>()
    }
}

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
    /// Reading it would take more time or memory than its size justifies, because entries refer to each other
    /// repeatedly.
    Size,
    /// A kernel has parameters that a kernel cannot have, or a parameter of unknown size.
    Kernel {
        /// The kernel's symbol.
        name: String,
        /// The reason.
        what: &'static str,
    },
}

display!(error Error, |this, f| {
    match this {
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
});
