use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Scalars {
    n: u32,
    alpha: f32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy<'a> {
    scalars: Scalars,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}
