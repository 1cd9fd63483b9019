// The kernels of all bindings write through a field.
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

kernel_args::kernels! { mod code = "ptx/code.ptx"; }

#[derive(KernelArgs)]
#[kernel_args(kernel = code, entries = "affine_*", T = f32 => "_f32", T = f64 => "_f64")]
struct Affine<'a, T: DeviceType> {
    n: u32,
    id: u64,
    x: &'a CudaSlice<T>,
    y: &'a CudaSlice<T>,
}
