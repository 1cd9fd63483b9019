// The kernel multiplies its `stride`. A hash of an address would be right, so only a struct that asks for it gets an error.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "rows", strict_code)]
struct Rows<'a> {
    n: u32,
    stride: &'a CudaSlice<i64>,
    input: &'a CudaSlice<f64>,
    sums: &'a mut CudaSlice<f32>,
}
