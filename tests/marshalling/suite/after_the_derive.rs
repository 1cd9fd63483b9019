//! Attribute macros that run after a derive. Changes that must be rejected are in
//! `tests/toolchain/suites/compile_fail/ui/changed_item`.

use kernel_args::{DeviceType, KernelArgs};
use kernel_args_test_macros::unchanged;

#[derive(Clone, Copy, DeviceType)]
#[unchanged]
#[repr(C)]
struct Padded {
    small: u8,
    large: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[unchanged]
#[repr(u16)]
enum Mode {
    Exact = 0x102,
}

#[derive(KernelArgs)]
#[unchanged]
struct Args(Padded, Mode);

#[test]
fn an_attribute_macro_that_changes_nothing_changes_no_byte() {
    let padded = Padded { small: 1, large: 2 };
    Args(padded, Mode::Exact).with_packed(|bytes| assert_eq!(bytes, [1, 0, 0, 0, 2, 0, 0, 0, 2, 1]));
}
