use kernel_args::{DevicePointer, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "*_f32")]
struct Unary {
    n: u32,
    x: f32,
    y: DevicePointer<f32>,
}
