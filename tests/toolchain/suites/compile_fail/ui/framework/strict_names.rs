use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};

kernel_args::kernels! { mod shade = "ptx/shade.debug.ptx"; }

#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(16))]
struct Light {
    values: [f32; 12],
}

// Without `strict_names`, `bais` would be ignored.
#[derive(KernelArgs)]
#[kernel_args(kernel = shade::shade, strict_names)]
struct Shade {
    r#in: DevicePointer<f32>,
    bais: DevicePointer<f32>,
    out: DevicePointerMut<f32>,
    #[kernel_args(opaque)]
    light: Light,
    mode: i32,
    n: i32,
}
