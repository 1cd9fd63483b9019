use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    x: Vec<f32>,
}
