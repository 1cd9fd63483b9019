use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx)]
struct Args {
    n: u32,
}
