use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "saxpy(int, float, float const*, float*)")]
struct Saxpy<'a> {
    n: usize,
    alpha: f64,
    x: &'a CudaSlice<f64>,
    y: &'a CudaSlice<f32>,
}
