use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
union Number {
    float: f32,
    int: u32,
}
