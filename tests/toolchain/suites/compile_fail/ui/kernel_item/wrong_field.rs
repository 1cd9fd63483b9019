use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};

kernel_args::kernels! {
    mod saxpy = "ptx/saxpy.ptx";
}

#[derive(KernelArgs)]
#[kernel_args(kernel = saxpy::saxpy)]
struct Saxpy {
    n: u32,
    alpha: f64,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}
