use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    table: [f32; 8192],
}
