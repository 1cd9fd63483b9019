use kernel_args::{DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
struct Plane {
    normal: [f32; 3],
    distance: f32,
}

#[derive(KernelArgs)]
struct Args {
    plane: Plane,
    n: u32,
}
