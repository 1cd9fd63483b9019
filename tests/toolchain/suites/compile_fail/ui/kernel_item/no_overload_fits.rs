use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::typed::saxpy)]
struct Saxpy {
    n: i32,
    alpha: u8,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}
