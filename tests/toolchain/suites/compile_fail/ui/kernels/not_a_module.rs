kernel_args::kernels! {
    saxpy = "ptx/saxpy.ptx"
}
