use cudarc::driver::CudaSlice;
use kernel_args::{Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
struct Axpy<'a> {
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn start(axpy: &Kernel<Axpy<'static>>, x: &mut CudaSlice<f32>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(axpy, 1, 256, Axpy { x, y: x }) }
}
