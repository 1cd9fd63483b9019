//! The readers of single formats.

#[cfg(feature = "debug-info")]
pub(crate) mod archive;
pub(crate) mod bytes;
pub mod cubin;
pub(crate) mod detect;
pub mod dwarf;
pub(crate) mod elf;
pub mod fatbin;
pub mod ptx;
