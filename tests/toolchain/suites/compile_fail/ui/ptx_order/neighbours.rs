use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy<'a> {
    alpha: f32,
    n: u32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}
