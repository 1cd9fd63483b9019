use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs, vector::Float4};

kernel_args::kernels! {
    mod shade = "ptx/shade.ptx", debug_info = "ptx/shade.debug.ptx";
}

#[derive(Clone, Copy, DeviceType)]
#[repr(i32)]
enum Mode {
    Flat,
    Smooth,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Light {
    intensity: f32,
    range: f32,
    kind: u32,
    color: Float4,
    direction: [f32; 3],
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shade::shade)]
struct Shade {
    r#in: DevicePointer<f32>,
    bias: DevicePointer<f32>,
    out: DevicePointerMut<f32>,
    light: Light,
    mode: Mode,
    n: i32,
}
