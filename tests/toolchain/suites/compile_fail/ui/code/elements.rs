// The kernel reads `float` and writes it: one field has other elements, one is also shared.
use cudarc::driver::{CudaSlice, CudaView};
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "scale")]
struct Scale<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f64>,
    y: CudaView<'a, i32>,
}
