use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    f: Box<dyn Fn(f32) -> f32>,
}
