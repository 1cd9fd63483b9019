use kernel_args::DeviceType;
use kernel_args_test_macros::replace_by;
use std::convert::Infallible;

#[derive(DeviceType)]
#[replace_by(
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Never {
        n: u32,
        never: Infallible,
    }
)]
#[repr(C)]
struct Never {
    n: u32,
}
