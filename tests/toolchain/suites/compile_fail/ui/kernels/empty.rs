kernel_args::kernels! {
    mod saxpy = "ptx/empty.ptx";
}
