const PATH: &str = "ptx/saxpy.ptx";

kernel_args::kernels! {
    mod saxpy = PATH;
}
