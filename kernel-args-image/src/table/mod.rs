//! Parameters, structs and enums as bytes: owned by a reader, or constants of a program.

mod kernels;
mod list;
pub(crate) mod types;
mod writer;

#[doc(hidden)]
pub use kernels::{Declaration, Encoder};
pub use list::ParameterList;
