kernel_args::kernels! {
    mod shade = "ptx/shade.ptx", debug = "ptx/shade.debug.ptx";
}
