//! The pointers in an argument, and what is known about the memory behind them: what a check of pointers needs.

mod arguments;
mod pointee;

pub use arguments::{Path, Pointer, for_each_pointer};
pub use pointee::{element_align, element_size};
