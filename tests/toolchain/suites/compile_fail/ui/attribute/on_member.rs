use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Light {
    #[device_type(cpp = "float")]
    cpp: f32,
    #[device_type(opaque = true)]
    value: f32,
    #[device_type(opaque, opaque)]
    twice: f32,
    #[device_type(name = " ")]
    blank: f32,
    #[device_type(skip)]
    unknown: f32,
}
