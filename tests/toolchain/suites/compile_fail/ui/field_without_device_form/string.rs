use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    n: u32,
    name: String,
}
