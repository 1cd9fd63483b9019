//! What a compiled CUDA kernel says of its parameters, and the rules by which they are laid out.
//!
//! This crate is pure: it makes no driver call, needs no GPU and holds no `unsafe` code. The
//! `kernel-args` runtime and its derive both stand on it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`layout`] | size and alignment, and C's rule for placing one thing after another |
//! | [`param_layout`] | the parameter block: unpadded size, limits, where each GPU puts over-aligned parameters |
//! | [`class`] | the kind of value that a parameter is: integer, float, pointer, bytes |
//! | [`cpp`] | the C++ type of a parameter |
//! | `ptx` | what a PTX text says of its kernels (feature `read`) |
//! | `cubin` | the parameter records of a cubin (feature `read`) |
//! | `fatbin` | the members of a fat binary (feature `read`; compressed ones: `compressed`) |
//! | `image` | the kernels of any of these (feature `read`) |
//! | `mangled` | the C++ types that a kernel's symbol tells; which symbol a name means (feature `read`) |
//! | [`signature`] | one model of a list of parameters, whoever it came from |
//! | [`check`] | whether a struct fits a kernel: every difference, its text, the table of both sides |
//! | [`words`] | the texts: differences, hints, and a layout as a table with its padding as a byte map |
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "read")]
extern crate alloc;

#[cfg(test)]
extern crate std;

pub mod check;
pub mod class;
pub mod cpp;
#[cfg(feature = "read")]
pub mod cubin;
#[cfg(feature = "read")]
pub mod fatbin;
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
pub use signature::{Parameter, Signature};
pub use words::LayoutTable;
