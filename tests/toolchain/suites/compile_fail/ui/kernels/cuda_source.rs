kernel_args::kernels! {
    mod saxpy = "ptx/saxpy.cu";
}
