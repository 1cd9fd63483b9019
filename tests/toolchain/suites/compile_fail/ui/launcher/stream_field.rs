use cudarc::driver::{CudaSlice, sys::CUstream};
use kernel_args::KernelArgs;

unsafe extern "C" {
    fn run(x: *const f32, n: u32, stream: CUstream) -> u32;
    fn typed(x: *const f32, n: u32, stream: kernel_args::launcher::Stream) -> u32;
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run)]
struct WithHandle<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
    stream: u64,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run)]
struct WithCuStream<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
    stream: CUstream,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = typed)]
struct WithTyped<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
    stream: kernel_args::launcher::Stream,
}
