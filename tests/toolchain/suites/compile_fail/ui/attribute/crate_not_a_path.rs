use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(crate = "kernel_args")]
struct Args {
    n: u32,
}
