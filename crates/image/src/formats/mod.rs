//! The readers of single formats, and what they share.

pub(crate) mod bytes;
pub mod cubin;
pub(crate) mod detect;
pub mod dwarf;
pub(crate) mod elf;
pub mod fatbin;
pub(crate) mod little_endian;
pub mod ptx;
