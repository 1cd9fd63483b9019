use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args = "saxpy"]
struct Args {
    n: u32,
}
