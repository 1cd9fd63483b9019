use kernel_args::{DevicePointer, KernelArgs, vector::Float2};

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(len = "size.x * 4", capacity = 4)]
    x: DevicePointer<f32>,
    #[kernel_args(range = "0..=1")]
    alpha: f32,
    #[kernel_args(multiple_of = 2)]
    size: Float2,
    #[kernel_args(as = i32)]
    beta: f64,
    #[kernel_args(as = f32)]
    n: usize,
}
