use kernel_args::{DevicePointer, DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "uepx_*")]
struct Misspelled {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "u*", T = f32 => "_f32", T = u8 => "_u8")]
struct Unary<T: DeviceType> {
    n: u32,
    x: T,
    y: DevicePointer<T>,
}
