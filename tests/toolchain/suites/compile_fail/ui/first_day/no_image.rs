use kernel_args::{Kernel, KernelArgs, Module};
use std::sync::Arc;

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn numbers(ctx: &Arc<cudarc::driver::CudaContext>) -> Result<Arc<Module>, kernel_args::Error> {
    Module::load(ctx, 5)
}

fn of_cudarc(ctx: &Arc<cudarc::driver::CudaContext>, ptx: PathOf) -> Result<Kernel<Fill>, kernel_args::Error> {
    Kernel::<Fill>::from_image(ctx, ptx, "fill")
}

struct PathOf;
