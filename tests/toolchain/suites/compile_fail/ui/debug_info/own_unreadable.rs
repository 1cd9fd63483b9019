use kernel_args::{DevicePointerMut, KernelArgs};

kernel_args::kernels! {
    mod shade = "ptx/shade_broken.debug.ptx";
    mod less = "ptx/shade_broken.debug.ptx", debug_info = if_readable;
    mod described = "ptx/shade_broken.debug.ptx", debug_info = "ptx/shade.debug.ptx";
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/shade_broken.debug.ptx", entry = "fade")]
struct Fade {
    out: DevicePointerMut<f32>,
    from: f32,
    to: f32,
    n: i32,
}

/// Two of its fields are exchanged, and this is not detected.
#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/shade_broken.debug.ptx", debug_info = if_readable, entry = "fade")]
struct Exchanged {
    out: DevicePointerMut<f32>,
    to: f32,
    from: f32,
    n: i32,
}
