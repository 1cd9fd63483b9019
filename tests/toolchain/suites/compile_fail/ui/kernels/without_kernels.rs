kernel_args::kernels! {
    mod functions = "ptx/device_functions.ptx";
}
