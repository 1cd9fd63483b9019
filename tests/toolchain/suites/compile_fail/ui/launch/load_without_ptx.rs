use cudarc::driver::CudaContext;
use kernel_args::{Kernel, KernelArgs};
use std::sync::Arc;

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn start(context: &Arc<CudaContext>) -> Result<Kernel<Fill>, kernel_args::Error> {
    Kernel::load(context)
}

fn main() {
    let _ = kernel_args::context(0).and_then(|context| start(&context));
}
