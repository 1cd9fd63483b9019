use kernel_args::DeviceType;
use mint::Vector4;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Plane {
    distance: f32,
    normal: Vector4<f32>,
}
