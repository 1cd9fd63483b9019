use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[device_type(skip_device_repr = true)]
#[repr(C)]
struct Light {
    intensity: f32,
}
