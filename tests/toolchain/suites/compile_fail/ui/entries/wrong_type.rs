use kernel_args::{DevicePointer, DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "u*", T = f32 => "_f32", T = f32 => "_f64")]
struct Unary<'a, T: DeviceType> {
    n: u32,
    x: T,
    y: DevicePointer<T>,
    #[kernel_args(skip)]
    text: &'a str,
}
