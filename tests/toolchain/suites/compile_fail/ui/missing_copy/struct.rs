use kernel_args::DeviceType;

#[derive(DeviceType)]
#[repr(C)]
struct Plane {
    distance: f32,
}
