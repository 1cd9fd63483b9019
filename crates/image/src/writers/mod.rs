//! The writers of Rust structs and C++ headers.

mod counts;
mod escape;
#[cfg(feature = "generate")]
pub mod generate;
#[cfg(feature = "header")]
pub mod header;
mod layout;
