use cudarc::driver::{CudaSlice, sys::CUstream};
use kernel_args::KernelArgs;

unsafe extern "C" {
    fn run(x: *const f32, n: u32, stream: CUstream) -> u32;
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run)]
struct Missing<'a> {
    x: &'a CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run)]
struct TooMany<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
    m: u32,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run, stream = none)]
struct WithoutStream<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
}
