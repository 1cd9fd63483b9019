kernel_args::kernels! {
    mod vadd = "ptx/bits32.ptx", generate;
    mod described = "ptx/saxpy.ptx", debug_info = "ptx/bits32.ptx";
}
