// Floating-point numbers of 8 bits, by value and behind pointers.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_fp8)]
struct Bytes<'a> {
    value: u8,
    r#in: &'a CudaSlice<u8>,
    out: &'a mut CudaSlice<u8>,
    n: i32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_fp8)]
struct Halves<'a> {
    value: half::f16,
    r#in: &'a CudaSlice<half::bf16>,
    out: &'a CudaSlice<half::f16>,
    n: i32,
}
