//! Random values for the device types of the generator's table, and the interface for the structs that
//! [`rust::source`](kernel_args_test_generator::rust::source) writes.

mod draw;
mod foreign;

pub use crate::{draw, structure};
pub use draw::{Bytes, Draw, Draws, Source, at};

use kernel_args::KernelArgs;

/// The visitor that the generated source calls with every struct.
pub trait Visitor {
    /// A struct with the same packed form on every GPU.
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A);

    /// A struct with a parameter aligned above 16 bytes, whose packed form depends on the GPU.
    fn over_aligned<A: KernelArgs + Copy>(&mut self, index: usize, args: A);
}

/// A by-value struct: rustc's layout and the derive's device layout.
#[derive(Debug)]
pub struct Structure {
    /// The number of the signature.
    pub index: usize,
    /// `size_of`.
    pub size: usize,
    /// `align_of`.
    pub align: usize,
    /// `offset_of!` of each field.
    pub offsets: Vec<usize>,
    /// `DeviceType::LAYOUT`.
    pub layout: kernel_args::abi::Layout,
}
