//! The parameters of CUDA kernels: the rules by which they are laid out, one model of a list of parameters, and the comparison
//! of two lists.
//!
//! Every function that the compiler can run is `const`. The crate needs no driver, no GPU and no `alloc`, and contains no `unsafe`
//! code. The runtime `kernel-args`, its derive and the readers of images are built on it.
//!
//! | module | content |
//! |---|---|
//! | [`layout`] | size and alignment, and C's rule for placing one thing after another |
//! | [`param_layout`] | the parameter block: unpadded size, limits, where each GPU places over-aligned parameters |
//! | [`class`] | the kind of value that a parameter is: integer, float, pointer, bytes |
//! | [`cpp`] | the C++ type of a parameter |
//! | [`signature`] | one model of a list of parameters, whatever its source |
//! | [`compiled`] | the kernels of an image as constants |
//! | [`check`] | whether a struct fits a kernel: every difference, as data |
//! | [`words`] | the text of a difference, the table of both sides, a layout as a table with its padding |
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod bytes;
pub mod check;
pub mod class;
pub mod compiled;
pub mod cpp;
#[doc(hidden)]
pub mod keywords;
pub mod layout;
pub mod param_layout;
pub mod signature;
pub mod words;

pub use class::Class;
pub use cpp::{CppBase, CppType};
pub use layout::{Alignment, Layout, LayoutError};
pub use param_layout::{ParamLayout, Sm};
pub use signature::{Members, Opaque, Parameter, Signature, Variant};
pub use words::LayoutTable;
