use kernel_args::KernelArgs;

#[derive(KernelArgs)]
enum Args {
    Fast(u32),
    Exact(f32),
}
