use kernel_args::{DevicePointer, KernelArgs};

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(len = "n %", capacity = 4)]
    a: DevicePointer<f32>,
    #[kernel_args(len = "n as usize", capacity = 4)]
    b: DevicePointer<f32>,
    #[kernel_args(len = "usize::max(n, 1)", capacity = 4)]
    c: DevicePointer<f32>,
    #[kernel_args(len = 1.5, capacity = 4)]
    d: DevicePointer<f32>,
    #[kernel_args(len = "18446744073709551616", capacity = 4)]
    e: DevicePointer<f32>,
    #[kernel_args(len)]
    f: DevicePointer<f32>,
    n: u32,
}
