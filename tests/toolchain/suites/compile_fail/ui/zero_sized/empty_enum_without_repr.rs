use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
enum Nothing {}
