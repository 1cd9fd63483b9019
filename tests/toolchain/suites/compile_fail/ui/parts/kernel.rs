use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};

kernel_args::kernels! {
    mod kernels = "ptx/echo_spread.ptx", debug_info = "ptx/echo_spread.debug.ptx";
}

// An element of another type, and an array that is one parameter.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread)]
struct Types {
    out: DevicePointerMut<u8>,
    before: i8,
    #[kernel_args(spread)]
    shape: [f32; 3],
    scale: f64,
    pad: [i16; 2],
    after: i8,
}

// A dimension is missing.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread)]
struct Count {
    out: DevicePointerMut<u8>,
    before: i8,
    #[kernel_args(spread)]
    shape: [i32; 2],
    scale: f64,
    #[kernel_args(spread)]
    pad: [i16; 2],
    after: i8,
}

#[derive(KernelArgs)]
struct Common {
    beta: f64,
    #[kernel_args(spread)]
    shape: [i32; 2],
    alpha: f32,
}

// Fields of a flattened struct in another order.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_flatten)]
struct Order {
    out: DevicePointerMut<u8>,
    first: i8,
    #[kernel_args(flatten)]
    common: Common,
    x: DevicePointer<f32>,
    last: i8,
}

// Names that the kernel does not have.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread)]
struct Names {
    out: DevicePointerMut<u8>,
    before: i8,
    #[kernel_args(spread, name = "length_{}")]
    shape: [i32; 3],
    scale: f64,
    #[kernel_args(spread, name = ["pad_1", "pad_0"])]
    pad: [i16; 2],
    after: i8,
}

// Every field must have the name of its parameter: `x_0` is `x0` in the kernel.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread_pointers, strict_names)]
struct Strict {
    out: DevicePointerMut<u8>,
    #[kernel_args(spread)]
    x: [DevicePointer<f32>; 2],
    #[kernel_args(spread, name = "y{}")]
    y: [DevicePointerMut<f32>; 2],
    rows: u32,
    columns: u32,
}

#[derive(KernelArgs)]
struct Size {
    columns: u32,
    rows: u32,
}

// Exchanged fields of one type in a flattened struct, and arrays that are exchanged.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread_pointers)]
struct Exchanged {
    out: DevicePointerMut<u8>,
    #[kernel_args(spread, name = ["x1", "x0"])]
    x: [DevicePointer<f32>; 2],
    y0: DevicePointerMut<f32>,
    y1: DevicePointerMut<f32>,
    #[kernel_args(flatten)]
    size: Size,
}

// Without debug information, the order of the types.
#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/echo_spread.ptx", entry = "echo_flatten")]
struct Unnamed {
    out: DevicePointerMut<u8>,
    first: i8,
    #[kernel_args(flatten)]
    common: Common,
    x: DevicePointer<f32>,
    last: i8,
}
