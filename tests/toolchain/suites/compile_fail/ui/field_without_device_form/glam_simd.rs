use glam::{Mat2, Vec3A};
use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
struct Args {
    position: Vec3A,
    rotation: Mat2,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ray {
    origin: Vec3A,
}
