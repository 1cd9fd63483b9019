use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", ptx = "ptx/reduce.ptx")]
struct Args {
    n: u32,
}
