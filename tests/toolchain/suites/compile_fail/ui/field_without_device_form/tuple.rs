use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    pair: (f32, f32),
}
