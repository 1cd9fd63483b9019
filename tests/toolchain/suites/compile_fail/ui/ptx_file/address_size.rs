use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/bits32.ptx", entry = "vadd")]
struct Vadd {
    a: DevicePointer<f32>,
    b: DevicePointer<f32>,
    c: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/bits32.ptx")]
struct Integers {
    a: u32,
    b: u32,
    c: u32,
}
