// A struct of the program and a tensor map with other alignments than the kernel's, and integers of 16 bytes.
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Own {
    a: f32,
    b: i32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_own)]
struct Less<'a> {
    own: Own,
    out: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_map)]
struct Map<'a> {
    map: [u64; 16],
    out: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shapes::k_i128)]
struct Integers<'a> {
    big: [u64; 2],
    ubig: i128,
    out: &'a mut CudaSlice<i64>,
}
