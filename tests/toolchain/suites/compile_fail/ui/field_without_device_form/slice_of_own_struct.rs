use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(Clone, Copy)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(KernelArgs)]
struct Args<'a> {
    points: &'a CudaSlice<Point>,
}
