use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/overloads.ptx", entry = "fill")]
struct Saxpy<'a> {
    #[kernel_args(opaque)]
    x: &'a CudaSlice<f32>,
}
