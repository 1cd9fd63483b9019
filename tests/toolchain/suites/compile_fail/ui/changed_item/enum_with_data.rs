use kernel_args::DeviceType;
use kernel_args_test_macros::replace_by;

#[derive(DeviceType)]
#[replace_by(
    #[derive(Clone, Copy)]
    #[repr(u16)]
    enum Mode {
        Fast(u8),
        Exact,
    }
)]
#[repr(u32)]
enum Mode {
    Fast,
    Exact,
}
