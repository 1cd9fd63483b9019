use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs, vector::Float3};

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "geometry::Plane")]
#[repr(C, align(16))]
struct Plane {
    normal: Float3,
    distance: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "geometry::Side")]
#[repr(u8)]
enum Side {
    Above,
    Below,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "clip")]
struct Clip<'a> {
    plane: Plane,
    side: Side,
    points: &'a CudaSlice<Float3>,
    kept: &'a mut CudaSlice<bool>,
    n: u32,
}
