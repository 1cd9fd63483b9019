use kernel_args::{Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill) }
}

fn main() {}
