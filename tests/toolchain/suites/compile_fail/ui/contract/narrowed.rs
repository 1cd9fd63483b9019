use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};

type Int = i32;

macro_rules! int {
    () => {
        i32
    };
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy {
    #[kernel_args(as = u64)]
    n: usize,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
struct Other {
    #[kernel_args(as = "i32")]
    a: usize,
    #[kernel_args(as = int!())]
    b: usize,
    #[kernel_args(as = Int)]
    c: usize,
}
