// Input and output are exchanged, and have different elements.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "rows")]
struct Rows<'a> {
    n: u32,
    stride: i64,
    sums: &'a mut CudaSlice<f32>,
    input: &'a CudaSlice<f64>,
}
