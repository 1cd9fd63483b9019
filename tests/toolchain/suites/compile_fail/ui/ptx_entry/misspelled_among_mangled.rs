use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "saxpyy")]
struct Saxpy<'a> {
    n: i32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}
