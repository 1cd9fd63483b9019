use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "kernels/saxpy.ptx", entry = "saxpy")]
struct Saxpy {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.cubin", entry = "saxpy")]
struct OtherFormat {
    n: u32,
}
