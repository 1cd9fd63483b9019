use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(block = "256x1", grid_covers = "m", shared = "n * 4.0")]
struct A<'a> {
    #[kernel_args(range = "0-10", multiple_of = 0)]
    n: u32,
    #[kernel_args(len = "x.len")]
    x: &'a CudaSlice<f32>,
    #[kernel_args(len = "n >= 4")]
    y: &'a CudaSlice<f32>,
}
