use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs, vector::Float4};

kernel_args::kernels! {
    mod shade = "ptx/shade.ptx", debug_info = "ptx/shade.debug.ptx";
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Light {
    range: f32,
    intensity: f32,
    kind: u32,
    color: Float4,
    direction: [f32; 3],
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shade::shade)]
struct Shade<L: DeviceType> {
    r#in: DevicePointer<f32>,
    bias: DevicePointer<f32>,
    out: DevicePointerMut<f32>,
    light: L,
    mode: i32,
    n: i32,
}

const _: Option<kernel_args::args::Source> = <Shade<Light> as KernelArgs>::SOURCE;
