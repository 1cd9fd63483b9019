kernel_args::kernels! {
    mod saxpy = "ptx/saxpy_typed.ptx", debug_info = "ptx/shade.debug.ptx";
}
