//! Rust structs and C++ headers for the parameters of CUDA kernels, as text.
//!
//! | module | content |
//! |---|---|
//! | [`generate`] | Rust structs for the kernels of an image |
//! | [`header`] | a C++ header of types and kernels, from Rust types or from an image |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(test)]
extern crate std;

mod bytes;
pub mod generate;
pub mod header;
