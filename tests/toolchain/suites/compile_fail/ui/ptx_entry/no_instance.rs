use kernel_args::{DevicePointer, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "axpy<float>")]
struct Saxpy {
    n: i32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointer<f32>,
}
