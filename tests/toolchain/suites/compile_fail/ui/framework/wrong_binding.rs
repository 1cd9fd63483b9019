use kernel_args::{DevicePointer, DeviceType, KernelArgs};
use kernel_args_test_kernels::framework;

// One of the types is wrong, not the field.
#[derive(KernelArgs)]
#[kernel_args(kernel = framework, entries = "fill_*", except = "*f16", T = f32 => "_f32", T = f64 => "_f64", T = u16 => "_u8", T = u32 => "_u32", T = i16 => "_i16", T = i32 => "_i32", T = i64 => "_i64")]
struct Fill<T: DeviceType> {
    n: usize,
    value: T,
    y: DevicePointer<T>,
}
