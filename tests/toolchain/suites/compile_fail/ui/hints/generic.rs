// Members whose type is a type parameter.
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "Box<float>")]
struct Floats {
    high: f32,
    low: f32,
    n: i32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "Box<double>")]
struct Doubles {
    low: f32,
    high: f32,
    n: i32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_box)]
struct Args<'a> {
    b: Floats,
    boxes: &'a CudaSlice<Doubles>,
    out: &'a mut CudaSlice<f32>,
}
