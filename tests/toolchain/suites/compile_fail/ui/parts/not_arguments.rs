use kernel_args::{DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Plane {
    normal: [f32; 3],
    distance: f32,
}

#[derive(KernelArgs)]
struct Shade {
    #[kernel_args(flatten)]
    plane: Plane,
}

#[derive(KernelArgs)]
struct Number {
    #[kernel_args(flatten)]
    n: u32,
}
