//! The kernels of an image as constants.
//!
//! `kernel_args::kernels!` reads an image while a crate compiles, and emits what it found as one table of bytes. A
//! [`CompiledKernel`] is a place in that table: it is decoded where it is used, so that an image with thousands of kernels
//! costs little to compile.

#[doc(hidden)]
pub mod decode;
mod fingerprint;
mod fits;
mod glob;
mod image;
mod kernel;
mod names;
mod nearest;
mod set;

#[doc(hidden)]
pub use fingerprint::{changed, fingerprint, of_length};
#[doc(hidden)]
pub use fits::Doubt;
pub use glob::matches_pattern;
#[doc(hidden)]
pub use image::CompiledImage;
pub use kernel::{CompiledKernel, KernelParameters};
pub use set::{CompiledKernels, KernelIter};
