use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(skip, skip)]
    n: u32,
}
