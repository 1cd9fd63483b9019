use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = saxpy)]
struct Args {
    n: u32,
}
