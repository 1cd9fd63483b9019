use kernel_args::{DevicePointer, KernelArgs};

#[derive(KernelArgs)]
struct Args {
    names: DevicePointer<String>,
}

fn main() {}
