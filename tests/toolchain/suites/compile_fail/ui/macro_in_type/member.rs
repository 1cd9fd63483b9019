use kernel_args::DeviceType;
use kernel_args_test_macros::next;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    first: u32,
    second: next!(second: u32),
}

#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct Only([next!(only: u32); 2]);

// Without a body there is no other error here.
const _: usize = Pair::LAYOUT.size();
