//! The kernel of most suites: `y = alpha * x + y` for `n` elements.
#![expect(missing_docs, reason = "the fields are the parameters of the kernel")]

use cudarc::driver::CudaSlice;
use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs, Retained};

/// The result of a trial.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Its image.
pub const SAXPY: &str = include_str!("../../ptx/saxpy.ptx");

/// With slices.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
pub struct Saxpy<'a> {
    pub n: u32,
    pub alpha: f32,
    pub x: &'a CudaSlice<f32>,
    pub y: &'a mut CudaSlice<f32>,
}

/// With addresses.
#[derive(Clone, Copy, KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
pub struct Pointers {
    pub n: u32,
    pub alpha: f32,
    pub x: DevicePointer<f32>,
    pub y: DevicePointerMut<f32>,
}

impl Pointers {
    /// No elements: the kernel accesses no memory, and no argument has a context.
    pub const NONE: Self = Self { n: 0, alpha: 1.0, x: DevicePointer::NULL, y: DevicePointerMut::NULL };
}

/// With memory that a graph retains.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
pub struct Owned {
    pub n: u32,
    pub alpha: f32,
    pub x: Retained<DevicePointer<f32>>,
    pub y: Retained<DevicePointerMut<f32>>,
}
