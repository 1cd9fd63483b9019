//! Parameters, structs and enums as bytes: owned by a reader, or constants of a program.

mod copies;
pub(crate) mod types;
pub(crate) mod writer;

pub(crate) use copies::Copies;
pub use copies::ParameterList;
