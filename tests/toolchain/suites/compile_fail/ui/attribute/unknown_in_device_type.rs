use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[device_type(name = "Plane")]
#[repr(C)]
struct Plane {
    distance: f32,
}
