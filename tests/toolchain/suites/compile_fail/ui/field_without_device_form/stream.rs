use cudarc::driver::CudaStream;
use kernel_args::KernelArgs;
use std::sync::Arc;

#[derive(KernelArgs)]
struct Args {
    stream: Arc<CudaStream>,
    n: u32,
}
