use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    owned: std::sync::Arc<CudaSlice<f32>>,
    borrowed: &'a std::sync::Arc<CudaSlice<f32>>,
    boxed: &'a mut Box<CudaSlice<f32>>,
}
