use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    alpha: Option<Vec<f32>>,
}
