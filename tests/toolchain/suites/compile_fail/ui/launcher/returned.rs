use cudarc::driver::sys::CUstream;
use kernel_args::KernelArgs;

unsafe extern "C" {
    fn workspace(n: u32, stream: CUstream) -> usize;
}

#[derive(KernelArgs)]
#[kernel_args(launcher = workspace)]
struct Workspace {
    n: u32,
}
