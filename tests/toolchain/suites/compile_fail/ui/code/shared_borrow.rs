// The kernel writes through `y`, which the struct borrows as shared.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "scale")]
struct Scale<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f32>,
    y: &'a CudaSlice<f32>,
}
