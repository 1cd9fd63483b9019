// Included by the programs that call launchers.
use cudarc::driver::{CudaSlice, sys::CUstream};
use kernel_args::{Error, KernelArgs, launch};

mod ffi {
    use super::CUstream;

    pub unsafe extern "C" fn run(_: u32, _: *mut f32, _: CUstream) -> u32 {
        0
    }

    pub unsafe extern "C" fn run_default(_: u32) {}
}

#[derive(KernelArgs)]
#[kernel_args(launcher = ffi::run)]
struct Run<'a> {
    n: u32,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = ffi::run_default, stream = none)]
struct RunDefault {
    n: u32,
}
