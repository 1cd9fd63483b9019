use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/reduce.ptx", entry = "reduce_sum")]
struct ReduceSum<'a> {
    n: f32,
    input: &'a CudaSlice<f32>,
    output: &'a mut CudaSlice<f32>,
}
