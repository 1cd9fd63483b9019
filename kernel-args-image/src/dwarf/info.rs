//! The kernels that debug information describes.

use super::Error;
use alloc::{string::String, vec::Vec};
use kernel_args_abi::{Members, signature::stored};

/// What the debug information of a cubin or PTX text says of kernels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfo {
    /// What `kernel_args_abi::signature::stored` reads.
    pub(super) table: Vec<u8>,
    /// In the order of their symbols, each once, with the numbers of their parameters.
    pub(super) kernels: Vec<(String, usize)>,
    /// Of single kernels that are not described.
    pub(super) errors: Vec<Error>,
}

impl DebugInfo {
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
