//! Macros that expand to another type at each use, where they are accepted: they are expanded once. Places where they
//! must be rejected are in `tests/toolchain/suites/compile_fail/ui/macro_in_type`.

use kernel_args::{DeviceType, KernelArgs};
use kernel_args_test_macros::next;

type Alias = next!(alias: u8, [u8; 512]);
type Generic<T> = next!(generic: [T; 2], [T; 512]);
const LENGTH: usize = next!(length: 2, 512);

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Members {
    alias: Alias,
    generic: Generic<u16>,
}

/// The derive never names the value of a variant.
#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Mode {
    First = next!(mode: 7, 8),
}

#[derive(KernelArgs)]
struct Args<T: DeviceType = next!(default: u8, [u8; 512])> {
    alias: Alias,
    generic: Generic<T>,
    length: [u8; LENGTH],
    members: Members,
    mode: Mode,
    /// Not a parameter, so the derive never names its type.
    #[kernel_args(skip)]
    _skipped: next!(skipped: u8, [u8; 512]),
}

#[test]
fn an_alias_of_a_macro_is_one_type() {
    let members = Members { alias: 4, generic: [5, 6] };
    let args: Args = Args { alias: 1, generic: [2, 3], length: [8, 9], members, mode: Mode::First, _skipped: 0 };
    args.with_packed(|bytes| {
        assert_eq!(bytes, [1, 2, 3, 8, 9, 0, 4, 0, 5, 0, 6, 0, 7]);
    });
}
