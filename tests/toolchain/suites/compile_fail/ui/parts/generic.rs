use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};

kernel_args::kernels! {
    mod kernels = "ptx/echo_spread.ptx", debug_info = "ptx/echo_spread.debug.ptx";
}

#[derive(KernelArgs)]
struct Item<T: DeviceType> {
    value: DevicePointer<T>,
    #[kernel_args(spread)]
    n: [T; 2],
}

// Compared when the program uses it.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread)]
struct Generic<T: DeviceType> {
    out: DevicePointerMut<u8>,
    #[kernel_args(flatten)]
    item: Item<T>,
}

fn main() {
    let args = Generic::<f32> {
        out: DevicePointerMut::NULL,
        item: Item { value: DevicePointer::NULL, n: [1.0; 2] },
    };
    args.with_kernel_params(|_| ());
}
