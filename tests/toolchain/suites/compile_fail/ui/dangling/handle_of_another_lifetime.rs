use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Read<'a> {
    x: &'a CudaSlice<f32>,
}

fn arguments(x: CudaSlice<f32>) -> Read<'static> {
    Read { x: &x }
}

fn main() {
    let _ = arguments;
}
