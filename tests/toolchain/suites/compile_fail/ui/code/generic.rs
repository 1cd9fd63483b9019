// A struct with a type parameter, compared where its type is known.
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "scale")]
struct Scale<'a, T: DeviceType> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<T>,
    y: &'a mut CudaSlice<T>,
}

const _: &[kernel_args::abi::Parameter<'static>] = <Scale<'static, f32> as KernelArgs>::PARAMETERS;
const _: Option<kernel_args::args::Source> = <Scale<'static, f64> as KernelArgs>::SOURCE;
