// The members of a struct by value are exchanged, so a pointer is multiplied.
use kernel_args::{DevicePointerMut, DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct View {
    stride: i64,
    data: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "fill")]
struct Fill {
    view: View,
    value: f32,
}
