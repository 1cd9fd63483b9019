use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(entry = "saxpy")]
struct Args {
    n: u32,
}
