// Complex numbers of the standard library for GPUs, which are aligned like vectors.
use cudarc::driver::CudaSlice;
use kernel_args::{KernelArgs, vector::Float2};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_cucomplex)]
struct Arrays<'a> {
    a: [f32; 2],
    b: [f64; 2],
    r#in: &'a CudaSlice<[f32; 2]>,
    out: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_cucomplex)]
struct Vectors<'a> {
    a: Float2,
    b: num_complex::Complex<f32>,
    r#in: &'a CudaSlice<num_complex::Complex<f64>>,
    out: &'a mut CudaSlice<f32>,
}
