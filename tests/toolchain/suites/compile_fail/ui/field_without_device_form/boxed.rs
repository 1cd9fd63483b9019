use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    x: Box<f32>,
}
