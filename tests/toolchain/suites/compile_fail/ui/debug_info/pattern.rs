use kernel_args::{DevicePointerMut, KernelArgs};

kernel_args::kernels! {
    mod shade = "ptx/shade.ptx", debug_info = "ptx/shade.debug.ptx";
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shade, entries = "fa*")]
struct Fade {
    out: DevicePointerMut<f32>,
    to: f32,
    from: f32,
    n: i32,
}
