//! A crate without `std` that renames kernel-args: see `toolchain/suites/packages/no_std.rs`.
#![no_std]
#![deny(warnings)]

// The counter-test: with this line the crate must not compile.
#[cfg(feature = "links-std")]
extern crate std;

use renamed::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs, vector::Float4};

renamed::kernels! {
    crate = renamed;
    pub mod saxpy = "saxpy.ptx";
}

#[derive(KernelArgs)]
#[kernel_args(crate = renamed, kernel = saxpy::saxpy)]
pub struct Saxpy {
    pub n: u32,
    pub alpha: f32,
    pub x: DevicePointer<f32>,
    pub y: DevicePointerMut<f32>,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(crate = renamed)]
#[repr(C)]
pub struct Padded<T> {
    pub small: u8,
    pub large: T,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(crate = ::renamed)]
#[repr(u8)]
pub enum Side {
    Above,
}

#[derive(KernelArgs)]
#[kernel_args(crate = renamed)]
pub struct Args<T: DeviceType> {
    pub padded: Padded<T>,
    pub side: Side,
    pub color: Float4,
    pub out: Option<DevicePointerMut<f32>>,
}

#[derive(KernelArgs)]
#[kernel_args(crate = renamed, block = (32, N), grid_covers = "n", shared = "block.x * 4", stream = required)]
pub struct Contracts<const N: u32> {
    #[kernel_args(len = "n.div_ceil(4)", capacity = "self.n")]
    pub x: DevicePointer<f32>,
    #[kernel_args(as = i32, multiple_of = 4, range = "1..=N * 100")]
    pub n: usize,
}

/// Whether a launch keeps the contracts.
pub fn is_valid(args: &Contracts<8>, launch: renamed::args::Geometry) -> bool {
    args.check_contracts(launch).is_ok()
}

/// Both forms, for a different driver binding.
pub fn launch(
    args: Args<f32>,
    packed: bool,
    driver: fn(params: *mut *mut core::ffi::c_void, buffer: &[u8]) -> i32,
) -> i32 {
    if packed {
        args.with_packed(|buffer| driver(core::ptr::null_mut(), buffer))
    } else {
        args.with_kernel_params(|params| driver(params.as_mut_ptr(), &[]))
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
