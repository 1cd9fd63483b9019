use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(module = "saxpy")]
#[kernel_args(entry = "saxpy")]
struct Args {
    #[kernel_args(ignore)]
    n: u32,
    #[kernel_args(ptx = "ptx/saxpy.ptx")]
    x: f32,
    name: String,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(name = "sim::Plane")]
#[repr(C)]
struct Plane {
    #[device_type(cpp = "float3")]
    normal: [f32; 3],
    letter: char,
}
