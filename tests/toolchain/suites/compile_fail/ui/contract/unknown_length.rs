use cudarc::driver::sys::CUdeviceptr;
use kernel_args::{DevicePointer, KernelArgs};

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(len = "n")]
    x: DevicePointer<f32>,
    #[kernel_args(len = "n")]
    y: CUdeviceptr,
    #[kernel_args(capacity = "n")]
    z: CUdeviceptr,
    n: u32,
}
