//! Debug information about kernels: the names, C++ types and members of their parameters.
//!
//! `nvcc -G` and NVRTC's `--device-debug` write DWARF in cubins (`.debug_info`) and in PTX (`.section .debug_info { … }`) about the
//! parameters of all kernels. A build without debug information has the same parameters. `-lineinfo` alone does not write it.
//!
//! Reading requires the feature `debug-info`. Without it, a kernel's debug information results in [`Error::Feature`].
//!
//! Supported are versions 2 to 5. Compressed sections are an error. Type units (`-fdebug-types-section` of host compilers) are
//! not read; their structs have unknown members.
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
mod content;
#[cfg(feature = "debug-info")]
mod entry;
mod error;
mod info;
#[cfg(feature = "debug-info")]
mod kernels;
#[cfg(feature = "debug-info")]
mod members;
#[cfg(feature = "debug-info")]
mod reduce;
mod sections;
#[cfg(feature = "debug-info")]
mod types;
#[cfg(feature = "debug-info")]
mod units;

pub use error::Error;
pub use info::DebugInfo;
#[cfg(feature = "debug-info")]
pub use reduce::reduce;

pub(crate) use sections::Sections;

impl DebugInfo {
    /// The debug information of a cubin about these kernels. Empty if it does not exist.
    ///
    /// # Errors
    /// If the cubin or its debug information cannot be read.
    pub fn of_cubin<'k>(cubin: &[u8], kernels: impl IntoIterator<Item = &'k str>) -> Result<Self, Error> {
        Self::read(Sections::of_cubin(cubin), kernels, [])
    }

    /// The debug information of a PTX text about these kernels. Empty if it does not exist.
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
        return kernels::read(&sections, &mut kernels.into_iter(), &mut variables.into_iter());
        #[cfg(not(feature = "debug-info"))]
        match kernels.into_iter().chain(variables).next() {
            Some(_) => Err(Error::Feature),
            None => Ok(Self::default()),
        }
    }
}
