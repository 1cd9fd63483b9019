//! Checked parameters for CUDA kernels.
#![no_std]
#[cfg(feature = "std")]
extern crate std;

pub use kernel_args_abi as abi;

mod arg;
mod args;
mod device_type;
mod form;
mod message;
mod object;
mod pointer;
mod scope;
mod suspect;
pub mod vector;

pub use arg::{KernelArg, PointerArg};
pub use args::{KernelArgs, PackError, Source};
pub use device_type::DeviceType;
pub use kernel_args_derive::{DeviceType, KernelArgs};
pub use object::{SurfaceObject, TensorMap, TensorMapA64, TextureObject};
pub use pointer::{DevicePointer, DevicePointerMut, Nullable, Pointee};
pub use scope::{Guard, Scope};
pub use vector::*;

#[doc(hidden)]
pub mod __private;
