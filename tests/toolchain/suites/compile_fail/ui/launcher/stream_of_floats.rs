use cudarc::driver::CudaStream;
use kernel_args::{Error, KernelArgs, launch};

unsafe extern "C" fn run(_: u32, _: *mut f32) {}

#[derive(KernelArgs)]
#[kernel_args(launcher = run)]
struct Run {
    n: u32,
}

fn start(stream: &CudaStream) -> Result<(), Error> {
    unsafe { launch!(run, Run { n: 1 }, stream = stream) }
}

fn main() {
    let _ = start as fn(&CudaStream) -> _;
}
