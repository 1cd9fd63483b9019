//! Properties of the marshalling: Kani proves them, and the tests check them for the values of a domain.
//!
//! The properties of the const engine are next to it, in `crates/abi/src/proofs.rs`.

mod in_place;
mod limit;
mod packed;
