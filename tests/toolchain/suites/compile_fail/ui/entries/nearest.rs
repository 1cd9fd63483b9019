use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};

/// The image has `saxpy<float>` and `saxpy<double>`.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::typed, entries = "axpy<*>", T = f32 => "<float>", T = f64 => "<double>")]
struct Axpy<T: DeviceType> {
    n: i32,
    alpha: T,
    x: DevicePointer<T>,
    y: DevicePointerMut<T>,
}
