use kernel_args::DeviceType;

#[derive(DeviceType)]
#[repr(i32)]
enum Mode {
    Fast,
    Exact,
}
