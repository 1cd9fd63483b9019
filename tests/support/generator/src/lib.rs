//! Random kernel signatures for tests: as CUDA C++, as Rust, and as the bytes that a kernel must receive.
//!
//! It does not depend on the crates under test: sizes, alignments and bytes come from its
//! own table ([`types`]) and its own arithmetic ([`layout`]). The oracle suite compares both with NVIDIA's compiler.
//! All results depend only on a seed and are equal on every machine.
//!
//! With the feature `tools`, [`tools`] starts the programs that a machine can lack.

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
#[cfg(feature = "tools")]
pub mod tools;
pub mod types;
pub mod value;

pub use leaf::Leaf;
pub use random::{Shape, signature, signatures};
pub use rng::Rng;
pub use signature::{Enum, Field, Pointee, Signature, Slot, Struct, Type};
