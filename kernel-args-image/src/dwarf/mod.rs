//! What debug information says of kernels: the names, C++ types and members of their parameters.
//!
//! `nvcc -G` and NVRTC's `--device-debug` write DWARF in cubins, in the section `.debug_info`, and in PTX, as
//! `.section .debug_info { … }`. It describes a kernel's parameters whatever the kernel is called, `extern "C"` or not. A
//! build without it has the same parameters, and `-lineinfo` alone does not make it.
//!
//! It is read with the feature `debug-info`; without it, debug information of a kernel is [`Error::Feature`].
//!
//! Read are versions 2 to 5, from the sections `.debug_info`, `.debug_abbrev`, `.debug_str`, `.debug_line_str` and
//! `.debug_str_offsets`. Not read are compressed sections, which are an error, and units of types (`-fdebug-types-section`
//! of compilers for hosts), whose structs have unknown members.
//!
//! Time is linear in the size of the sections. What is stored takes at most 16 times their size and 1 MiB, and at most
//! 256 MiB; while lists grow, three times as much is allocated.
//!
//! What was found in the output of nvcc and NVRTC 13.0, whose front end is EDG's: it is DWARF 2; types have no namespaces,
//! but enums have mangled names; base classes are members whose names begin with `__b_`; an alignment is not told;
//! `wchar_t`, `char16_t` and pointers to members are the integers that they are stored as; the integers of enums are not told, and
//! of 64 bits a value above those of `long long` is a negative one. A `long double` has the 16 bytes that it has on the host, not
//! the device's 8: a kernel that takes one is not described.

#[cfg(feature = "debug-info")]
mod budget;
#[cfg(feature = "debug-info")]
mod described;
#[cfg(feature = "debug-info")]
mod description;
#[cfg(feature = "debug-info")]
mod entry;
mod error;
#[cfg(feature = "debug-info")]
mod kernels;
#[cfg(feature = "debug-info")]
mod members;
mod sections;
#[cfg(feature = "debug-info")]
mod types;
#[cfg(feature = "debug-info")]
mod units;

#[cfg(feature = "debug-info")]
pub use description::description;
pub use error::Error;

use alloc::{string::String, vec::Vec};
use kernel_args_abi::{Members, signature::stored};
use sections::Sections;

/// What the debug information of a cubin or PTX text says of kernels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfo {
    /// What `kernel_args_abi::signature::stored` reads.
    table: Vec<u8>,
    /// In the order of their symbols, each once, with the numbers of their parameters.
    kernels: Vec<(String, usize)>,
    /// Of single kernels that are not described.
    errors: Vec<Error>,
}

impl DebugInfo {
    /// Reads the debug information of a cubin that tells of the kernels with these symbols. Without any, it is empty.
    ///
    /// # Errors
    /// Where the cubin or its debug information cannot be read.
    pub fn of_cubin<'k>(
        cubin: &[u8],
        kernels: impl IntoIterator<Item = &'k str>,
    ) -> Result<Self, Error> {
        Self::read(&Sections::of_cubin(cubin)?, kernels)
    }

    /// Reads the debug information of a PTX text that tells of the kernels with these symbols. Without any, it is empty.
    ///
    /// # Errors
    /// Where the text or its debug information cannot be read.
    pub fn of_ptx<'k>(
        text: &[u8],
        kernels: impl IntoIterator<Item = &'k str>,
    ) -> Result<Self, Error> {
        // Most texts have none: they are not parsed.
        const SECTION: &[u8] = b".debug_info";
        if !text.windows(SECTION.len()).any(|window| window == SECTION) {
            return Ok(Self::default());
        }
        #[cfg(feature = "debug-info")]
        return Self::read(&Sections::of_ptx(text)?, kernels);
        #[cfg(not(feature = "debug-info"))]
        return Self::not_read(kernels);
    }

    fn read<'k>(
        sections: &Sections<'_>,
        kernels: impl IntoIterator<Item = &'k str>,
    ) -> Result<Self, Error> {
        if sections.is_empty() {
            return Ok(Self::default());
        }
        #[cfg(feature = "debug-info")]
        return kernels::read(sections, &kernels.into_iter().collect());
        #[cfg(not(feature = "debug-info"))]
        return Self::not_read(kernels);
    }

    /// What is said of the kernels of an image that has debug information.
    #[cfg(not(feature = "debug-info"))]
    fn not_read<'k>(kernels: impl IntoIterator<Item = &'k str>) -> Result<Self, Error> {
        match kernels.into_iter().next() {
            Some(_) => Err(Error::Feature),
            None => Ok(Self::default()),
        }
    }

    /// The symbols of the kernels that are described, in alphabetical order.
    #[must_use]
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kernels.iter().map(|(symbol, _)| symbol.as_str())
    }

    /// The parameters of the kernel of this symbol: names, sizes, classes, C++ types and members. Debug information tells
    /// no offsets of parameters.
    #[must_use]
    pub fn parameters(&self, symbol: &str) -> Option<Members<'_>> {
        let found = self
            .kernels
            .binary_search_by(|(known, _)| known.as_str().cmp(symbol));
        let (_, parameters) = self.kernels.get(found.ok()?)?;
        Some(stored::members(&self.table, *parameters))
    }

    /// Why kernels are not described, although the debug information has an entry for them.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// How much memory it takes, in bytes.
    pub(crate) fn weight(&self) -> usize {
        let symbols: usize = self.symbols().map(str::len).sum();
        self.table.capacity()
            + symbols
            + self.kernels.capacity() * size_of::<(String, usize)>()
            + self.errors.capacity() * size_of::<Error>()
    }
}
