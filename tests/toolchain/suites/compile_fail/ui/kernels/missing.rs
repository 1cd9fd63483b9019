kernel_args::kernels! {
    mod saxpy = "ptx/saxpi.ptx";
}
