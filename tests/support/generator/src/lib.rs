//! Random kernel signatures for tests: as CUDA C++, as Rust, and as the bytes that a kernel must receive.
//!
//! This crate has no dependencies, in particular not the crates under test: sizes, alignments and bytes come from its
//! own table ([`types`]) and its own arithmetic ([`layout`]). The oracle suite compares both with NVIDIA's compiler.
//! All results depend only on a seed and are equal on every machine.

pub mod conditions;
pub mod corpus;
pub mod cpp;
pub mod echo;
pub mod known_uses;
pub mod layout;
pub mod leaf;
pub mod mirror;
pub mod parts;
pub mod random;
pub mod rng;
pub mod rust;
pub mod shrink;
pub mod signature;
pub mod size;
pub mod types;
pub mod value;

pub use leaf::Leaf;
pub use random::{Shape, signature, signatures};
pub use rng::Rng;
pub use signature::{Enum, Field, Pointee, Signature, Slot, Struct, Type};
