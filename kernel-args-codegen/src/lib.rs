//! Rust structs and C++ headers for the parameters of CUDA kernels, as text.
//!
//! | module | content | feature |
//! |---|---|---|
//! | `generate` | Rust structs for the kernels of an image | `generate` |
//! | `header` | a C++ header of types and kernels, from Rust types or from an image | `header` |
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(test)]
extern crate std;

#[cfg(any(feature = "generate", feature = "header"))]
mod bytes;
#[cfg(any(feature = "generate", feature = "header"))]
mod escape;
#[cfg(feature = "generate")]
pub mod generate;
#[cfg(feature = "header")]
pub mod header;
