use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(packed)]
struct Plane {
    kind: u8,
    distance: f32,
}
