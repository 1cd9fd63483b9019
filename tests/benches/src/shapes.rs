//! The structs of arguments, with the ways to marshal them. The build script writes them.

#![allow(
    missing_docs,
    unreachable_pub,
    unused_assignments,
    unused_mut,
    unused_variables,
    improper_ctypes,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    reason = "written by the build script"
)]

use crate::{
    callgrind::Call,
    launch::Example,
    marshal::{Shape, Variant, launch_packed, launch_params},
};
use core::{ffi::c_void, mem::MaybeUninit};
use cudarc::driver::{LaunchArgs, PushKernelArg};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, KernelArgs,
    vector::{Float3, Float4, Int2},
};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Range {
    low: f32,
    high: f32,
    steps: u32,
}

/// It has padding, which must not expose old memory.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Tagged {
    value: u64,
    tag: u8,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Matrix {
    rows: [[f32; 4]; 4],
}

include!(concat!(env!("OUT_DIR"), "/shapes.rs"));
