use kernel_args::{DevicePointer, KernelArgs};
use kernel_args_test_kernels::framework;

// One of three patterns has no kernel.
#[derive(KernelArgs)]
#[kernel_args(kernel = framework, entries = ["u{neg,epx}_f32", "uabs_f32"])]
struct Unary {
    n: usize,
    x: DevicePointer<f32>,
    y: DevicePointer<f32>,
}
