//! Random kernel signatures for tests: as CUDA C++, as Rust, and as the bytes that a kernel must see.
//!
//! It depends on nothing, least of all on the crates that it tests: sizes, alignments and bytes come from
//! its own table ([`types`]) and its own arithmetic ([`layout`]), which the oracle suite holds against
//! NVIDIA's compiler. All of it follows from a seed, on every machine the same.

pub mod corpus;
pub mod cpp;
pub mod echo;
pub mod layout;
pub mod leaf;
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
