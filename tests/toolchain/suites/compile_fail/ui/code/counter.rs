// A counter that the kernel increments.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

kernel_args::kernels! { mod code = "ptx/code.ptx"; }

#[derive(KernelArgs)]
#[kernel_args(kernel = code::count)]
struct Count<'a> {
    n: u32,
    limit: i32,
    values: &'a CudaSlice<i32>,
    counter: &'a CudaSlice<u32>,
}
