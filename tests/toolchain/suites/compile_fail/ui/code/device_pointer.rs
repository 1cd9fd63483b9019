// A pointer that allows only reads. This PTX has no line numbers.
use kernel_args::{DevicePointer, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: Option<DevicePointer<f32>>,
}
