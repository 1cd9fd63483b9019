// Structs of other sizes, names and kinds.
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {
    x: f32,
    kind: i32,
    mass: f64,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Cell {
    x: f32,
    mass: f64,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(32))]
struct Own {
    a: f32,
    b: i32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_grid)]
struct Args<'a> {
    #[kernel_args(opaque)]
    g: [f64; 5],
    #[kernel_args(opaque)]
    many: &'a CudaSlice<[f64; 5]>,
    cells: &'a CudaSlice<Particle>,
    out: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_own)]
struct Array<'a> {
    own: [f32; 4],
    out: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_own)]
struct Behind<'a> {
    own: &'a CudaSlice<f32>,
    out: &'a mut CudaSlice<f32>,
}
