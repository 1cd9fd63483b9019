use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Nothing {}
