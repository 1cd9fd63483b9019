use kernel_args::DeviceType;
use kernel_args_test_macros::field_type;
use std::ops::Deref;

/// Eight bytes like a `u64`, but three of them are padding.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Padded {
    small: u8,
    large: u32,
}

impl Deref for Padded {
    type Target = u64;

    fn deref(&self) -> &u64 {
        &0
    }
}

#[derive(Clone, Copy, DeviceType)]
#[field_type(n: Padded)]
#[repr(C)]
struct Params {
    n: u64,
}
