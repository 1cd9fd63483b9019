use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(skip)]
struct Args {
    n: u32,
}
