kernel_args::kernels! {
    mod built = concat!(env!("OUT_DIR"), "/saxpy.ptx");
    mod own = concat!(env!("NOT_SET_AT_ALL"), "/saxpy.ptx");
}
