include!("../fill.rs");
use cudarc::driver::{CudaSlice, LaunchConfig};

fn two(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, 1.0f32, 1u32) }
}

fn several(fill: &Kernel<Fill>, n: u32, x: &CudaSlice<f32>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, n, 2.0, x) }
}

fn names(fill: &Kernel<Fill>, value: f32, n: u32) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, value, n) }
}

fn with_an_option(fill: &Kernel<Fill>, value: f32, n: u32, stream: &std::sync::Arc<cudarc::driver::CudaStream>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, value, n, stream = stream) }
}

fn with_config(fill: &Kernel<Fill>, config: LaunchConfig, n: u32) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, config, 1.0f32, n) }
}

fn one(fill: &Kernel<Fill>, n: u32) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, n) }
}
