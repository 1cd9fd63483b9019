use kernel_args::{DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(u8, align(64))]
enum Mode {
    Fast = 1,
}

#[derive(KernelArgs)]
struct Args {
    mode: Mode,
}

fn main() {
    Args { mode: Mode::Fast }.with_packed(|_| ());
}
