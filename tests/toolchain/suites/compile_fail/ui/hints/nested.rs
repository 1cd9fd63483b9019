// Structs in structs and instances of templates: two members with exchanged types, and a missing parameter.
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs, vector::Float3};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Inner {
    a: f64,
    b: f32,
    c: i32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Box<T> {
    low: T,
    high: T,
    n: i32,
}

mod exchanged {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Nest {
        first: Float3,
        second: Inner,
        third: Box<f32>,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_nested)]
    struct Args<'a> {
        nest: Nest,
        many: &'a CudaSlice<Nest>,
        out: &'a mut CudaSlice<f32>,
    }
}

mod rotated {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Nest")]
    struct Rotated {
        first: Box<f32>,
        second: Inner,
        third: Float3,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_nested)]
    struct Args<'a> {
        nest: Rotated,
        same: Box<f32>,
        r#box: Box<f32>,
        many: &'a CudaSlice<Rotated>,
        out: &'a mut CudaSlice<f32>,
    }
}
