//! Compiles `silu.cu`.

fn main() -> Result<(), kernel_args_build::Error> {
    kernel_args_build::Kernels::new().file("silu.cu").arch("sm_80").build()
}
