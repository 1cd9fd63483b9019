use cudarc::driver::{CudaSlice, CudaView, CudaViewMut};
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct OfViews<'a> {
    x: CudaView<'a, f32>,
    y: CudaViewMut<'a, f32>,
}

#[derive(KernelArgs)]
struct OfSlices<'a> {
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn run(x: &CudaSlice<f32>, y: &mut CudaSlice<f32>, part: CudaView<f32>, part_mut: CudaViewMut<f32>) {
    let _ = OfViews { x, y };
    let _ = OfSlices { x: part, y: part_mut };
}
