use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};

kernel_args::kernels! {
    mod mirrors = "ptx/mirrors.ptx", debug_info = "ptx/mirrors.debug.ptx";
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Record {
    tag: u32,
    timestamp: f32,
    #[device_type(opaque)]
    operand: u32,
    op: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Span {
    records: DevicePointer<Record>,
    len: usize,
    height: usize,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Node {
    key: f32,
    weight: f32,
    left: DevicePointerMut<Node>,
    right: DevicePointerMut<Node>,
    spans: [Span; 2],
}

#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::walk)]
struct Walk {
    root: DevicePointerMut<Node>,
    out: DevicePointerMut<f32>,
}
