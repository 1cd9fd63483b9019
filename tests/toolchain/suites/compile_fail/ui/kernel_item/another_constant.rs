use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(kernel = u32::MAX)]
struct Saxpy {
    n: u32,
}
