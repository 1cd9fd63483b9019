//! The derives in code that makes it hard for them: every module compiles, and its structs marshal what they hold.
//!
//! Nothing here is about particular bytes, which `marshalling` compares; a wrong name in the expansion is an error of
//! rustc, or calls the user's item in place of ours.
#![deny(warnings)]

mod bounds;
mod changed_file;
mod generics;
mod items;
mod kernels;
mod lints;
mod macros;
mod names;
mod no_prelude;
mod no_std;
mod other_crates;
mod reexport;
mod shadowed;
mod shapes;
