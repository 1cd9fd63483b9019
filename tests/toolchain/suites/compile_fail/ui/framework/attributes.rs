use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = framework, entries = [])]
struct NoPattern {
    n: usize,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = framework::arange, except = "u*")]
struct ExceptAlone {
    n: usize,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = framework, entries = "fill_*", T = f32 => "_f32" optional)]
struct Marker<T: DeviceType> {
    n: usize,
    value: T,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = framework, entries = "fill_*", T = f32 => "_f32" if arch >= 89)]
struct Condition<T: DeviceType> {
    n: usize,
    value: T,
}

#[derive(KernelArgs)]
#[kernel_args(strict_names = true)]
struct Strict {
    n: usize,
}
