// A pointer in a struct by value.
use kernel_args::{DevicePointer, DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct View {
    data: DevicePointer<f32>,
    stride: i64,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "fill")]
struct Fill {
    view: View,
    value: f32,
}
