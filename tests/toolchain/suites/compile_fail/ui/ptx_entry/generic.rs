use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "saxpy<float>")]
struct Saxpy<'a, T: DeviceType> {
    n: i32,
    alpha: T,
    x: &'a CudaSlice<T>,
    y: &'a mut CudaSlice<T>,
}

fn marshal<T: DeviceType>(saxpy: Saxpy<'_, T>) {
    saxpy.with_kernel_params(|_| ());
}

fn main() {
    let _: fn(Saxpy<'_, f32>) = marshal;
    let _: fn(Saxpy<'_, f64>) = marshal;
}
