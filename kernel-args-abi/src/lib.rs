//! The parameters of compiled CUDA kernels, and the rules by which they are laid out.
//!
//! This crate is pure: it makes no driver call, needs no GPU and holds no `unsafe` code. The
//! `kernel-args` runtime and its derive are both built on it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`layout`] | size and alignment, and C's rule for placing one thing after another |
//! | [`param_layout`] | the parameter block: unpadded size, limits, where each GPU puts over-aligned parameters |
//! | [`class`] | the kind of value that a parameter is: integer, float, pointer, bytes |
//! | [`cpp`] | the C++ type of a parameter |
//! | `ptx` | reads the kernels of a PTX text (feature `read`) |
//! | `cubin` | reads the parameter records of a cubin (feature `read`) |
//! | `fatbin` | reads the members of a fat binary (feature `read`; compressed ones: `compressed`) |
//! | `dwarf` | reads names, C++ types and members from debug information (feature `debug-info`) |
//! | `image` | reads the kernels of any of these (feature `read`) |
//! | `generate` | writes Rust structs for the kernels of an image (feature `generate`) |
//! | `header` | writes a C++ header of types and kernels (feature `header`) |
//! | `mangled` | the C++ types in a kernel's symbol; the symbol that a name refers to (feature `read`) |
//! | [`signature`] | one model of a list of parameters, wherever it comes from |
//! | [`compiled`] | the kernels of an image as constants |
//! | [`check`] | whether a struct fits a kernel: every difference, as data |
//! | [`words`] | the text of a difference, the table of both sides, a layout as a table with its padding |
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "read")]
extern crate alloc;

#[cfg(test)]
extern crate std;

pub mod check;
pub mod class;
pub mod compiled;
pub mod cpp;
#[cfg(feature = "read")]
pub mod cubin;
#[cfg(feature = "debug-info")]
pub mod dwarf;
#[cfg(feature = "read")]
pub mod fatbin;
#[cfg(feature = "generate")]
pub mod generate;
#[cfg(feature = "header")]
pub mod header;
#[cfg(feature = "read")]
pub mod image;
pub mod layout;
pub mod param_layout;
#[cfg(feature = "read")]
pub mod ptx;
pub mod signature;
pub mod words;

pub use class::Class;
#[cfg(feature = "read")]
pub use cpp::mangled;
pub use cpp::{CppBase, CppType};
pub use layout::{Alignment, Layout, LayoutError};
pub use param_layout::{ParamLayout, Sm};
pub use signature::{Members, Opaque, Parameter, Signature, Variant};
pub use words::LayoutTable;
