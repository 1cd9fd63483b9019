use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", enty = "saxpy")]
struct A {
    n: u32,
    #[kernel_args(lenght = "n")]
    m: u32,
}

#[derive(KernelArgs)]
#[kernel_args(shared = "n.divceil(4)", requires = "n = 4")]
struct B<'a> {
    n: u32,
    #[kernel_args(len = "n.maximum(4)")]
    x: &'a CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "saxpy.ptx", entry = "saxpy")]
struct C {
    n: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cp = "sim::P")]
struct P {
    x: f32,
}
