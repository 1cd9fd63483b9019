use kernel_args::{Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn start(fill: &Kernel<Fill>, s: &cudarc::driver::CudaStream) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, 1, 256, args, s) }
}

fn main() {}
