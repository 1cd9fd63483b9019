use cudarc::driver::DeviceRepr;
use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Light {
    intensity: f32,
}

unsafe impl DeviceRepr for Light {}
