use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(align(16))]
struct Plane {
    normal: [f32; 3],
    distance: f32,
}
