use cudarc::driver::{CudaSlice, sys::CUstream};
use kernel_args::KernelArgs;

unsafe extern "C" {
    fn run(x: *const f32, stream: CUstream, n: u32);
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run)]
struct Last<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run, stream = before(x))]
struct First<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
}
