//! The names of items for kernels, and the writers of Rust structs and C++ headers.

pub(crate) mod escape;
#[cfg(feature = "generate")]
pub mod generate;
#[cfg(feature = "header")]
pub mod header;
#[cfg_attr(not(feature = "generate"), allow(dead_code, reason = "generated types have more kinds of names"))]
mod identifier;
pub mod items;
#[cfg(any(feature = "generate", feature = "header"))]
mod layout;
