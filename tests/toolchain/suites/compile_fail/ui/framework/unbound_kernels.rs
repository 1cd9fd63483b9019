use kernel_args::{DevicePointer, DeviceType, KernelArgs};
use kernel_args_test_kernels::framework;

// `f64` and seven more types have kernels too.
#[derive(KernelArgs)]
#[kernel_args(kernel = framework, entries = "{powf,elu}_*", T = f32 => "_f32")]
struct Scaled<T: DeviceType> {
    n: usize,
    by: T,
    x: DevicePointer<T>,
    y: DevicePointer<T>,
}
