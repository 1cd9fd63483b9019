use kernel_args::{Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
#[kernel_args(stream = required)]
struct Fill {
    value: f32,
    n: u32,
}

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, 1, 256, args, shared = 1024) }
}

fn main() {
    let _ = start as fn(&Kernel<Fill>) -> _;
}
