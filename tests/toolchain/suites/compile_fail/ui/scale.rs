// Included by the programs that launch a correct struct in a sequence.
use cudarc::driver::CudaSlice;
use kernel_args::{Error, Kernel, KernelArgs, launch, sequence::Sequence};

#[derive(KernelArgs)]
struct Scale<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}
