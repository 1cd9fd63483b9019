use kernel_args::{DevicePointer, Kernel, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "u*_f32")]
struct Unary {
    n: u32,
    x: f32,
    y: DevicePointer<f32>,
}

fn main() {
    let ctx = kernel_args::context(0).unwrap();
    let _ = Kernel::<Unary>::load(&ctx);
}
