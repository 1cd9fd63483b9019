// Complex numbers of C++'s standard library, by value and behind pointers.
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
