//! The kernels in debug information.

use super::Error;
use alloc::{string::String, vec::Vec};
use kernel_args_abi::{Members, signature::stored};

/// The debug information of a cubin or PTX text about kernels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfo {
    /// The format that `kernel_args_abi::signature::stored` reads.
    pub(super) table: Vec<u8>,
    /// Sorted by symbol, without duplicates, with the numbers of their parameter lists.
    pub(super) kernels: Vec<(String, usize)>,
    /// In the same way: each is the only parameter of a list.
    pub(super) variables: Vec<(String, usize)>,
    pub(super) errors: Vec<Error>,
}

impl DebugInfo {
    /// The symbols of the kernels, in alphabetical order.
    #[must_use]
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kernels.iter().map(|(symbol, _)| symbol.as_str())
    }

    /// The parameters of a kernel: names, sizes, classes, C++ types and members, but no offsets.
    #[must_use]
    pub fn parameters(&self, symbol: &str) -> Option<Members<'_>> {
        self.list(&self.kernels, symbol)
    }

    /// A variable as the only parameter of a list.
    #[must_use]
    pub fn variable(&self, symbol: &str) -> Option<Members<'_>> {
        self.list(&self.variables, symbol)
    }

    pub(crate) fn unread(error: Error) -> Self {
        Self { errors: [error].into(), ..Self::default() }
    }

    fn list(&self, lists: &[(String, usize)], symbol: &str) -> Option<Members<'_>> {
        let found = lists.binary_search_by(|(known, _)| known.as_str().cmp(symbol));
        let (_, parameters) = lists.get(found.ok()?)?;
        Some(stored::members(&self.table, *parameters))
    }

    /// Why the parameters of kernels that have an entry are unknown.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    pub(crate) fn weight(&self) -> usize {
        let lists = self.kernels.iter().chain(&self.variables);
        let symbols: usize = lists.map(|(symbol, _)| symbol.len()).sum();
        self.table.capacity()
            + symbols
            + (self.kernels.capacity() + self.variables.capacity()) * size_of::<(String, usize)>()
            + self.errors.capacity() * size_of::<Error>()
    }
}
