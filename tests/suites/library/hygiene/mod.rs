//! The derives in difficult surroundings: every module compiles, and its structs marshal their fields.
//!
//! These tests do not compare specific bytes: the suite `marshalling` does. A wrong name in the expansion is an error
//! of rustc, or calls the user's item instead of the library's.
#![deny(warnings)]

mod bounds;
mod fragments;
mod generics;
mod items;
mod kernels;
mod launchers;
mod lints;
mod macros;
mod names;
mod no_prelude;
mod other_crates;
mod parts;
mod reexport;
mod shadowed;
mod shapes;
