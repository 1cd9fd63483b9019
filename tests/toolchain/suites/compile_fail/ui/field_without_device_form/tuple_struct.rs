use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args(u32, Vec<f32>);
