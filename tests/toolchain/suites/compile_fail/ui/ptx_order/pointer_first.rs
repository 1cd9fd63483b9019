use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
    alpha: f32,
    y: &'a mut CudaSlice<f32>,
}
