use kernel_args::DeviceType;
use kernel_args_test_macros::replace_by;

#[derive(DeviceType)]
#[replace_by(
    #[derive(Clone, Copy)]
    #[repr(C, align(4))]
    struct Mode {
        small: u8,
        large: u16,
    }
)]
#[repr(u32)]
enum Mode {
    Fast,
}
