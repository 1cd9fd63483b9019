//! Checked parameters for CUDA kernels: one struct, the device's layout, both forms that `cuLaunchKernel` takes.
//!
//! ```
//! use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs, abi::LayoutTable};
//!
//! /// `__global__ void saxpy(unsigned n, float alpha, float const* x, float* y)`
//! #[derive(KernelArgs)]
//! struct Saxpy {
//!     n: u32,
//!     alpha: f32,
//!     x: DevicePointer<f32>,
//!     y: DevicePointerMut<f32>,
//! }
//!
//! println!("{}", LayoutTable(&Saxpy::SIGNATURE));
//! let args = Saxpy { n: 4, alpha: 2.0, x: DevicePointer::NULL, y: DevicePointerMut::NULL };
//! args.with_packed(|buffer| assert_eq!(buffer.len(), 24));
//! ```
//!
//! With cudarc (feature `cudarc`, on by default) [`Module`] loads images, [`Kernel`] verifies a struct against a kernel, and
//! [`launch!`] launches it; cudarc's slices can be fields. Without it the crate is `no_std`, and
//! [`KernelArgs::with_kernel_params`] and [`KernelArgs::with_packed`] work with any other binding.
//!
//! | feature | |
//! |---|---|
//! | `cudarc` (default) | loading, verifying and launching; cudarc's slices and views as arguments |
//! | `half` | `half::f16`, `half::bf16`, `Half2`, `BFloat162` |
//! | `std` | `std::error::Error` for the error types; `cudarc` turns it on |
#![no_std]
#[cfg(feature = "std")]
extern crate std;

pub use kernel_args_abi as abi;

mod device;
#[cfg(feature = "cudarc")]
mod driver;
mod interop;
mod marshal;

pub use device::{
    DevicePointer, DevicePointerMut, DeviceType, Pointee, SurfaceObject, TensorMap, TensorMapA64,
    TextureObject, vector, vector::*,
};
#[cfg(feature = "cudarc")]
pub use driver::{
    DriverCall, Error, Form, Image, IntoDim, JitOptions, Kernel, Launch, LaunchError, Launchable,
    Limit, MismatchError, Module, OptimizationLevel, Status, Unverified, Verification, context,
    is_available, launch,
};
#[cfg(feature = "half")]
pub use interop::{BFloat162, Half2};
pub use kernel_args_derive::{DeviceType, KernelArgs};
pub use marshal::{
    Arguments, Guard, KernelArg, KernelArgs, LaunchStream, PackError, PointerArg, Source,
};

#[doc(hidden)]
pub mod __private;
