use kernel_args::{DevicePointerMut, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/shade.ptx", debug_info = "ptx/shade.debug.ptx", entry = "sim::fade")]
struct Fade {
    out: DevicePointerMut<f32>,
    to: f32,
    from: f32,
    n: i32,
}
