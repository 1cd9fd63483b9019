use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
struct Plane {
    kind: u8,
    distance: f32,
}

fn main() {}
