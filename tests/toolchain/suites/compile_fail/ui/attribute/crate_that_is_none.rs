use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(crate = nowhere)]
struct Args {
    n: u32,
}
