//! The kernels in debug information.

use super::Error;
use alloc::{string::String, vec::Vec};
use kernel_args_abi::{Members, signature::stored};

/// The debug information of a cubin or PTX text about kernels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfo {
    /// The format that `kernel_args_abi::signature::stored` reads.
    pub(super) table: Vec<u8>,
    /// The kernels sorted by symbol, without duplicates, with the numbers of their parameter lists.
    pub(super) kernels: Vec<(String, usize)>,
    /// Errors that concern single kernels.
    pub(super) errors: Vec<Error>,
}

impl DebugInfo {
    /// The symbols of the kernels in the debug information, in alphabetical order.
    #[must_use]
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kernels.iter().map(|(symbol, _)| symbol.as_str())
    }

    /// The parameters of the kernel with this symbol: names, sizes, classes, C++ types and members. Debug information
    /// contains no offsets of parameters.
    #[must_use]
    pub fn parameters(&self, symbol: &str) -> Option<Members<'_>> {
        let found = self
            .kernels
            .binary_search_by(|(known, _)| known.as_str().cmp(symbol));
        let (_, parameters) = self.kernels.get(found.ok()?)?;
        Some(stored::members(&self.table, *parameters))
    }

    /// Why the parameters of some kernels are unknown although the debug information has an entry for these kernels.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// The approximate memory that it uses, in bytes.
    pub(crate) fn weight(&self) -> usize {
        let symbols: usize = self.symbols().map(str::len).sum();
        self.table.capacity()
            + symbols
            + self.kernels.capacity() * size_of::<(String, usize)>()
            + self.errors.capacity() * size_of::<Error>()
    }
}
