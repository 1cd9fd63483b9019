//! What a program loads: PTX, cubins and fat binaries, as modules and libraries with their functions, and the linker.

pub(crate) mod cubin;
pub(crate) mod cubin_writer;
pub(crate) mod fatbin;
pub(crate) mod function;
pub(crate) mod image;
pub(crate) mod jit;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod module;
pub(crate) mod placement;
