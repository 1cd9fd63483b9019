use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(i32)]
enum Mode {
    #[device_type(cpp = "FAST")]
    Fast,
    Exact,
}
