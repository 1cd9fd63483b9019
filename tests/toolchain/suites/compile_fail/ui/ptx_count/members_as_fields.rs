use kernel_args::{DevicePointerMut, KernelArgs};
use std::ffi::c_void;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "geometry::grow")]
struct Grow {
    low: [f32; 3],
    high: [f32; 3],
    by: f32,
    out: DevicePointerMut<c_void>,
}
