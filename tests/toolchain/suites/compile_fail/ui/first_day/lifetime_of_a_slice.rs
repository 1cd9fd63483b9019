use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Saxpy {
    n: u32,
    alpha: f32,
    x: &CudaSlice<f32>,
    y: &mut CudaSlice<f32>,
}
