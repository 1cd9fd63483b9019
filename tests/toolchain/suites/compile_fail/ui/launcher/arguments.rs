use cudarc::driver::{CudaSlice, sys::CUstream};
use kernel_args::{DevicePointer, DeviceType, KernelArgs};

mod ffi {
    use super::{CUstream, Point};
    use core::ffi::c_void;

    unsafe extern "C" {
        pub fn run(
            rows: u32,
            columns: i32,
            scale: f64,
            x: *const f32,
            y: *mut f32,
            counts: *mut c_void,
            point: Point,
            stream: CUstream,
        ) -> u32;
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Point {
    x: f32,
    y: f32,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = ffi::run)]
struct Run<'a> {
    rows: usize,
    columns: u32,
    scale: f32,
    x: &'a CudaSlice<f64>,
    y: &'a CudaSlice<f32>,
    counts: Option<DevicePointer<u32>>,
    point: [f32; 2],
}
