use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    f: fn(f32) -> f32,
}
