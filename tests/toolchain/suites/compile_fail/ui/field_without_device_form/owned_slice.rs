use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    x: CudaSlice<f32>,
}
