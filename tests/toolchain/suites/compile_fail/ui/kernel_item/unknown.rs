use kernel_args::KernelArgs;
use kernel_args_test_kernels::saxpy;

#[derive(KernelArgs)]
#[kernel_args(kernel = saxpy::saxpi)]
struct Saxpy {
    n: u32,
}
