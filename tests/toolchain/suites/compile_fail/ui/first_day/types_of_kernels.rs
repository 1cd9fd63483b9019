use kernel_args::{Kernel, KernelArgs, Module};
use std::sync::Arc;

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn untyped(module: &Arc<Module>) {
    let kernel = module.kernel("fill");
}

fn other(module: &Arc<Module>) -> Result<Kernel<u32>, kernel_args::Error> {
    module.kernel("fill")
}

struct Plain {
    n: u32,
}

fn no_derive(module: &Arc<Module>) -> Result<Kernel<Plain>, kernel_args::Error> {
    module.kernel("fill")
}
