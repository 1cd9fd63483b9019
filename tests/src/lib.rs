//! What the suites share.

pub mod draw;
pub mod driver;
pub mod exported;
pub mod structs;
pub mod tally;

/// The README's code, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
