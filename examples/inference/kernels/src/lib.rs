//! The kernels of a multilayer perceptron, compiled by the build script: see `mlp.cu`.
//!
//! A dependent crate names a kernel as `inference_kernels::mlp::agreement`, and a family of kernels with a pattern.

kernel_args::kernels! {
    /// Nine families of kernels for `float`, `__half` and `__nv_bfloat16`, and `agreement`. Code for `sm_89` and newer
    /// GPUs also has them for `__nv_fp8_e4m3`.
    pub mod mlp = concat!(env!("OUT_DIR"), "/mlp.ptx");
}
