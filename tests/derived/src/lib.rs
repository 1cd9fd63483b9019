//! Random kernel signatures as `#[derive(KernelArgs)]` structs, by-value structs and enums included.
//!
//! The structs are written by `build.rs`. By themselves they are the generator's first
//! [`echo::DERIVED`](kernel_args_test_generator::echo::DERIVED) echo kernels of
//! [`echo::SEED`](kernel_args_test_generator::echo::SEED): number `i` here is kernel `i` there.

mod draw;

pub use draw::{Draw, Draws};

use kernel_args::KernelArgs;

/// What [`visit`] calls with every struct.
pub trait Visitor {
    /// A struct whose packed form is the same on every GPU.
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A);

    /// A struct with a parameter aligned above 16 bytes, whose packed form depends on the GPU.
    fn over_aligned<A: KernelArgs + Copy>(&mut self, index: usize, args: A);
}

/// A by-value struct as rustc lays it out, and as the derive says that the device does.
#[derive(Debug)]
pub struct Structure {
    /// The number of the signature.
    pub index: usize,
    /// `size_of`.
    pub size: usize,
    /// `align_of`.
    pub align: usize,
    /// `offset_of!` each field.
    pub offsets: Vec<usize>,
    /// `DeviceType::LAYOUT`.
    pub layout: kernel_args::abi::Layout,
}

/// Calls `visitor` with every struct in order, filled with the random values of `seed`; `out` is the
/// address for the first field of an echo kernel's struct.
///
/// The bytes that the kernel must see are
/// [`echo::expected`](kernel_args_test_generator::echo::expected) of the same seed.
pub fn visit(seed: u64, out: u64, visitor: &mut impl Visitor) {
    structs::visit_each(&Draws { seed, out }, visitor);
}

/// Calls `report` with every by-value struct.
pub fn structures(mut report: impl FnMut(Structure)) {
    structs::structures_each(&mut report);
}

pub use structs::ENTRIES;

/// Written by `build.rs`.
#[allow(
    missing_docs,
    missing_debug_implementations,
    non_camel_case_types,
    unreachable_pub,
    unused_imports,
    unused_variables,
    dead_code,
    clippy::pedantic,
    clippy::all
)]
mod structs {
    use crate::{
        Draw, Draws, Structure, Visitor,
        draw::{Source, draw, structure},
    };
    use core::num::*;
    use kernel_args::*;

    include!(concat!(env!("OUT_DIR"), "/structs.rs"));
}
