use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "saxpy<float>")]
struct Saxpy<'a> {
    n: i32,
    alpha: f64,
    x: &'a CudaSlice<f64>,
    y: &'a mut CudaSlice<f64>,
}
