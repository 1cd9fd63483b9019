use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy;
