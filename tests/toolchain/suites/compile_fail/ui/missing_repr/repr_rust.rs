use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(Rust)]
struct Plane {
    normal: [f32; 3],
    distance: f32,
}
