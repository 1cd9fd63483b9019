use kernel_args::{DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(16))]
struct Quad {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/vectors_typed.ptx", entry = "shift")]
struct Shift {
    by: Quad,
    on: u8,
}
