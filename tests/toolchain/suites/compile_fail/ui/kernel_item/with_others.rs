use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::saxpy::saxpy, ptx = "ptx/saxpy.ptx")]
struct WithPtx {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::saxpy, entry = "saxpy")]
struct WithEntry {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = "saxpy")]
struct Text {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = concat!("ptx/", option_env!("NAME")))]
struct NotAPath {
    n: u32,
}
