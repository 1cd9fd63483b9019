use cudarc::driver::CudaSlice;
use kernel_args::{Kernel, KernelArgs};

#[derive(KernelArgs)]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

struct App {
    saxpy: Kernel<Saxpy>,
}
