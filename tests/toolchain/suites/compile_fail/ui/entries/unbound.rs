use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "u*")]
struct Unary<T: DeviceType> {
    n: u32,
    x: T,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "cast_*", T = f32 => "_f32")]
struct Cast<T: DeviceType, U: DeviceType> {
    from: T,
    to: U,
}

#[derive(KernelArgs)]
#[kernel_args(entries = "u*")]
struct WithoutModule {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, T = f32 => "_f32")]
struct WithoutPattern<T: DeviceType> {
    n: T,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "u*", T = f32)]
struct WithoutSuffix<T: DeviceType> {
    n: T,
}
