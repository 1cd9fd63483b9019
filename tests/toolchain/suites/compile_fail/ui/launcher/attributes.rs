use cudarc::driver::{CudaSlice, sys::CUstream};
use kernel_args::KernelArgs;

unsafe extern "C" {
    fn run(x: *const f32, n: u32, stream: CUstream);
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run, stream = before(m))]
struct BeforeNothing<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run, ptx = "ptx/saxpy.ptx", entry = "saxpy")]
struct Both<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run, block = 256, requires = "grid.x * block.x >= n")]
struct Blocks<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run, stream = last)]
struct Last<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(stream = before(n))]
struct NoLauncher<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = run)]
struct Spread<'a> {
    x: &'a CudaSlice<f32>,
    #[kernel_args(spread)]
    n: [u32; 1],
}

#[derive(KernelArgs)]
#[kernel_args(launcher = "run")]
struct Quoted<'a> {
    x: &'a CudaSlice<f32>,
    #[kernel_args(launcher = run)]
    n: u32,
}
