//! What debug information says of kernels: the names, C++ types and members of their parameters.
//!
//! `nvcc -G` and NVRTC's `--device-debug` write DWARF in cubins, in the section `.debug_info`, and in PTX, as
//! `.section .debug_info { … }`. It describes a kernel's parameters whatever the kernel is called, `extern "C"` or not. A
//! build without it has the same parameters, and `-lineinfo` alone does not make it.
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

mod budget;
#[cfg_attr(not(feature = "generate"), path = "undescribed.rs")]
mod described;
mod description;
mod entry;
mod error;
mod kernels;
mod members;
mod sections;
mod types;
mod units;

pub use description::description;
pub use error::Error;

use crate::signature::{
    Members, ParameterList,
    list::{Rows, Text},
};
use alloc::{collections::BTreeSet, vec::Vec};
use sections::Sections;

/// What the debug information of a cubin or PTX text says of kernels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfo {
    list: ParameterList,
    /// In the order of their symbols, each once.
    kernels: Vec<(Text, Rows)>,
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
        Self::read(&Sections::of_ptx(text)?, kernels)
    }

    fn read<'k>(
        sections: &Sections<'_>,
        kernels: impl IntoIterator<Item = &'k str>,
    ) -> Result<Self, Error> {
        if sections.is_empty() {
            return Ok(Self::default());
        }
        kernels::read(sections, &kernels.into_iter().collect::<BTreeSet<&str>>())
    }

    /// The symbols of the kernels that are described, in alphabetical order.
    #[must_use]
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kernels
            .iter()
            .map(|(symbol, _)| self.list.text(*symbol))
    }

    /// The parameters of the kernel of this symbol: names, sizes, classes, C++ types and members. Debug information tells
    /// no offsets of parameters.
    #[must_use]
    pub fn parameters(&self, symbol: &str) -> Option<Members<'_>> {
        let place = |(text, _): &(Text, Rows)| self.list.text(*text).cmp(symbol);
        let found = self.kernels.binary_search_by(place).ok()?;
        Some(self.list.members(self.kernels.get(found)?.1))
    }

    /// Why kernels are not described, although the debug information has an entry for them.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    pub(crate) fn take_errors(&mut self) -> Vec<Error> {
        core::mem::take(&mut self.errors)
    }

    /// How much memory it takes, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.list.weight()
            + self.kernels.capacity() * size_of::<(Text, Rows)>()
            + self.errors.capacity() * size_of::<Error>()
    }
}
