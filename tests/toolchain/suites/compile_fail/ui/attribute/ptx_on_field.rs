use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(ptx = "ptx/saxpy.ptx")]
    n: u32,
}
