use kernel_args::{DevicePointer, DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(len = "n", as = i32)]
struct OnStruct {
    n: u32,
}

#[derive(KernelArgs)]
struct OnField {
    #[kernel_args(grid_covers = "n")]
    x: DevicePointer<f32>,
    #[kernel_args(skip, as = i32)]
    n: usize,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Member {
    #[device_type(range = "1..")]
    n: u32,
}
