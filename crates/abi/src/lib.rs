//! The parameters of CUDA kernels: their layout rules, a model of parameter lists, and the comparison of two lists.
//!
//! The crate needs no driver, no GPU and no `alloc`.
//!
//! A user's program evaluates these functions while it compiles. rustc evaluates a call about as slowly as dozens of
//! operators or as copying ten bytes, so functions that run for each name, byte or pair contain few calls.
//!
//! | module | content |
//! |---|---|
//! | [`layout`] | size and alignment, and C's rule for placing types one after another |
//! | [`param_layout`] | the parameter block: unpadded size, limits, the position of over-aligned parameters on each GPU
//! generation |
//! | [`Value`], [`Values`], [`Fields`] | the value of an argument, as data |
//! | [`class`] | the kind of value that a parameter is |
//! | [`cpp`] | the C++ type of a parameter |
//! | [`signature`] | one model of parameter lists for all sources |
//! | [`compiled`] | the kernels of an image as constants |
//! | [`check`] | whether a struct fits a kernel: every difference, as data |
//! | [`texts`] | the text of a difference, the table of both sides, a layout as a table with its padding |
#![no_std]
#![deny(unsafe_code)]
#![allow(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "most functions are called only by this workspace and by generated code"
)]

#[cfg(test)]
extern crate std;

/// `?` for an `Option` in a `const fn`. Returns `None`, or the second argument.
macro_rules! some {
    ($option:expr) => {
        some!($option, None)
    };
    ($option:expr, $otherwise:expr) => {{
        let Some(value) = $option else {
            return $otherwise;
        };
        value
    }};
}

/// `?` for a `Result` in a `const fn`.
macro_rules! ok {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return Err(error),
        }
    };
}

/// `Iterator::any` in a `const fn`: over the numbers below a length, or over the items that a function of `i` returns.
macro_rules! any {
    ($i:ident < $len:expr, $holds:expr) => {{
        let mut $i = 0;
        while $i < $len && !$holds {
            $i += 1;
        }
        $i < $len
    }};
    ($i:ident, $item:ident = $get:expr, $holds:expr) => {{
        let mut $i = 0;
        loop {
            match $get {
                Some($item) if $holds => break true,
                Some(_) => $i += 1,
                None => break false,
            }
        }
    }};
}

mod bytes;
pub mod check;
pub mod class;
pub mod compiled;
pub mod cpp;
#[doc(hidden)]
pub mod keywords;
pub mod layout;
mod message;
pub mod param_layout;
#[doc(hidden)]
pub mod passing;
#[doc(hidden)]
pub mod pointers;
pub mod signature;
#[cfg(test)]
mod tests;
pub mod texts;
mod value;

pub use class::Class;
pub use cpp::{CppBase, CppType};
pub use layout::{Alignment, Layout, LayoutError};
pub use param_layout::{ParamLayout, Sm};
pub use signature::{Body, Meaning, Members, Opaque, Parameter, Pointee, Signature, Variant};
pub use texts::LayoutTable;
pub use value::{Fields, Value, Values};
