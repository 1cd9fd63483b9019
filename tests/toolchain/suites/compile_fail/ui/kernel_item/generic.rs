use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(kernel = kernel_args_test_kernels::typed::saxpy_float)]
struct Saxpy<T: DeviceType> {
    n: i32,
    alpha: T,
    x: DevicePointer<T>,
    y: DevicePointerMut<T>,
}

fn main() {
    let args = Saxpy {
        n: 0,
        alpha: 1.0_f64,
        x: DevicePointer::NULL,
        y: DevicePointerMut::NULL,
    };
    args.with_kernel_params(|_| ());
}
