use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    names: &'a CudaSlice<String>,
}
