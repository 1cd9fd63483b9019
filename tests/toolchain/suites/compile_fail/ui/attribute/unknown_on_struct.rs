use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(module = "saxpy")]
struct Args {
    n: u32,
}
