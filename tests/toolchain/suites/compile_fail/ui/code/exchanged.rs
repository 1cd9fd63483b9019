// Input and output are exchanged, and have the same type.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "scale")]
struct Scale<'a> {
    n: u32,
    factor: f32,
    y: &'a mut CudaSlice<f32>,
    x: &'a CudaSlice<f32>,
}
