//! Bindings to NVRTC, the runtime compiler for CUDA C++, and a search for the files that a CUDA source can include.
//!
//! | item | content |
//! |---|---|
//! | [`Nvrtc`], [`Program`] | the library, and one program that it compiles |
//! | [`library_names`], [`system`] | finding the library on the system |
//! | [`includes()`] | the files that a source can include, and why the list can be incomplete |
//! | [`read_file`], [`write_file`], [`NewFile`], [`open_to_read`], [`open_to_write`] | regular files |
//! | [`option`] | options that name folders, files and macros |
#![deny(unsafe_code)]

mod error;
mod files;
mod find;
mod includes;
mod library;
pub mod option;

pub use error::Error;
pub use files::{NewFile, open_to_read, open_to_write, read_file, write_file};
pub use find::{library_names, system};
pub use includes::{Includes, Search, Text, Unknown, includes};
pub use library::{Nvrtc, Program};
