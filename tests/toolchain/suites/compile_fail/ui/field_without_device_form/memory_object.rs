use cudarc::driver::{DevicePtr, DevicePtrMut};
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    x: &'a dyn DevicePtr<f32>,
    y: &'a mut (dyn DevicePtrMut<f32> + Send),
}
