use kernel_args::{KernelArgs, launch};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn start(function: &cudarc::driver::CudaFunction) -> Result<(), kernel_args::Error> {
    unsafe { launch!(function, 1, 256, (1.0f32, 1u32)) }
}
