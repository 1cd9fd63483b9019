//! Checked pointers: before a launch, the driver is asked about the memory behind each pointer of the arguments.
//!
//! | file | contents |
//! |---|---|
//! | [`mode`] | whether pointers are checked |
//! | [`arguments`] | the pointers in an argument, also in structs by value |
//! | [`pointee`] | the size and the alignment of what a pointer points to |
//! | [`memory`] | the memory at an address |
//! | [`check`] | what is an error |

mod arguments;
mod check;
mod memory;
mod mode;
mod pointee;

pub(crate) use check::{KernelCode, PointerUse, Request, Runs, check};
pub(crate) use mode::{are_checked, set_checked};
