use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Plane {
    #[device_type(cpp = "float")]
    distance: f32,
}
