kernel_args::kernels! {
    mod shade = "ptx/shade.ptx", debug_info = "ptx/shade_broken.debug.ptx";
}
