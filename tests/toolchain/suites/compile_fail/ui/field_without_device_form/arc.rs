use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    x: std::sync::Arc<f32>,
}
