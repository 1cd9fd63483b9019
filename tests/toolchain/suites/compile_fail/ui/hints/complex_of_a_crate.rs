// Complex numbers of another crate for C++'s, which are aligned less.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_complex)]
struct Crate<'a> {
    a: num_complex::Complex<f64>,
    b: num_complex::Complex<f32>,
    r#in: &'a CudaSlice<num_complex::Complex<f64>>,
    out: &'a mut CudaSlice<f32>,
}
