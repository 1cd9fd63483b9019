use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::saxpy::saxpy)]
struct Saxpy {
    n: u64,
    alpha: f64,
    x: DevicePointer<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::typed::saxpy_float)]
struct Typed {
    n: i32,
    alpha: f32,
    x: DevicePointer<f64>,
    y: DevicePointerMut<f32>,
}
