use kernel_args::{DevicePointerMut, DeviceType, KernelArgs};

kernel_args::kernels! {
    mod kernels = "ptx/echo_spread.ptx", debug_info = "ptx/echo_spread.debug.ptx";
}

// `shape` has the right type; the types of `pad` and `after` are wrong.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels, entries = "echo_spread", T = f64 => "")]
struct Args<T: DeviceType> {
    out: DevicePointerMut<u8>,
    before: i8,
    #[kernel_args(spread)]
    shape: [i32; 3],
    scale: T,
    #[kernel_args(spread)]
    pad: [i32; 2],
    after: T,
}
