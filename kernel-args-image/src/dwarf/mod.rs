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
mod description;
#[cfg(feature = "debug-info")]
mod entry;
mod error;
mod info;
#[cfg(feature = "debug-info")]
mod kernels;
#[cfg(feature = "debug-info")]
mod members;
mod sections;
#[cfg(feature = "debug-info")]
mod stored;
#[cfg(feature = "debug-info")]
mod types;
#[cfg(feature = "debug-info")]
mod units;

#[cfg(feature = "debug-info")]
pub use description::description;
pub use error::Error;
pub use info::DebugInfo;

use sections::Sections;

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
        return kernels::read(sections, &mut kernels.into_iter());
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
}
