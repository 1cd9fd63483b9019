use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/echo_scalars.ptx", entry = "nothing_like_it")]
struct Saxpy {
    n: u32,
}
