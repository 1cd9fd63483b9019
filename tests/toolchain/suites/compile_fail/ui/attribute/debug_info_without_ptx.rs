use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(debug_info = "ptx/shade.debug.ptx")]
struct Alone {
    n: u32,
}

kernel_args::kernels! {
    mod saxpy = "ptx/saxpy.ptx";
}

#[derive(KernelArgs)]
#[kernel_args(kernel = saxpy::saxpy, debug_info = "ptx/shade.debug.ptx")]
struct OfAnItem {
    n: u32,
}
