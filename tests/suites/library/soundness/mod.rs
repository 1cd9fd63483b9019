//! Invariants that safe code must not be able to break: memory safety, and modules that stay loaded.

mod forbid_unsafe;
mod graphs;
mod launches;
mod modules;
mod padding;
mod retired;
mod sequences;
