use cudarc::driver::UnifiedSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    x: UnifiedSlice<f32>,
}
