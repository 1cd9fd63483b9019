// Complex numbers of the standard library and of CUDA's, by value and behind pointers.
use cudarc::driver::CudaSlice;
use kernel_args::{KernelArgs, vector::{Double2, Float2}};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_complex)]
struct Vectors<'a> {
    a: Float2,
    b: Double2,
    r#in: &'a CudaSlice<Float2>,
    out: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_complex)]
struct Crate<'a> {
    a: num_complex::Complex<f64>,
    b: num_complex::Complex<f32>,
    r#in: &'a CudaSlice<num_complex::Complex<f64>>,
    out: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_cucomplex)]
struct Arrays<'a> {
    a: [f32; 2],
    b: [f64; 2],
    r#in: &'a CudaSlice<[f32; 2]>,
    out: &'a mut CudaSlice<f32>,
}

fn main() {}
