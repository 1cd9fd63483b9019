use kernel_args::{KernelArgs, Module};
use kernel_args_test_kernels::framework;

#[derive(KernelArgs)]
struct Fill {
    n: usize,
}


fn main() {
    let ctx = kernel_args::context(0).unwrap();
    let module = Module::load(&ctx, framework::IMAGE).unwrap();
    let _ = module.family::<Fill>("fill");
}
