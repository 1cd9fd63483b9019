kernel_args::kernels! {
    mod saxpy = "ptx/binary.ptx";
    mod source = "ptx/not_compiled.ptx";
}
