use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Saxpy<'a> {
    #[kernel_args(len = "x.len()")]
    n: u32,
    #[kernel_args(len = 1024, capacity = "n")]
    alpha: f32,
    x: &'a CudaSlice<f32>,
    #[kernel_args(len = "n")]
    flag: bool,
    #[kernel_args(len = "n")]
    corner: [f32; 2],
}
