use kernel_args::{Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    let side: usize = 16;
    unsafe { launch!(fill, 4, (side, side), args) }
}

fn main() {}
