//! Checked parameters for CUDA kernels.
#![no_std]
#[cfg(feature = "std")]
extern crate std;

pub use kernel_args_abi as abi;

mod arg;
mod args;
mod decode;
mod device_type;
#[cfg(feature = "cudarc")]
mod driver;
mod form;
mod interop;
mod object;
mod pointer;
mod scope;
mod suspect;
pub mod vector;

pub use arg::{KernelArg, PointerArg};
pub use args::{KernelArgs, PackError, Source};
pub use decode::Arguments;
pub use device_type::DeviceType;
#[cfg(feature = "cudarc")]
pub use driver::{
    Dim, DriverCall, Error, Form, Image, IntoDim, JitOptions, Kernel, Launch, LaunchError, Limit,
    MismatchError, Module, OptimizationLevel, Status, Target, Unverified, Verification, context,
    is_available, launch,
};
#[cfg(feature = "half")]
pub use interop::{BFloat162, Half2};
pub use kernel_args_derive::{DeviceType, KernelArgs};
pub use object::{SurfaceObject, TensorMap, TensorMapA64, TextureObject};
pub use pointer::{DevicePointer, DevicePointerMut, Nullable, Pointee};
pub use scope::{Guard, Scope};
pub use vector::*;

#[doc(hidden)]
pub mod __private;
