use cudarc::driver::CudaSlice;
use kernel_args::{Error, Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
struct Scale<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn write(scale: &Kernel<Scale<'_>>, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x, y }, stream = 5) }
}
