use cudarc::driver::{CudaSlice, CudaView};
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct A<'a> {
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn view(x: CudaView<'_, f32>, y: &mut CudaSlice<f32>) {
    let args = A { x, y };
}

fn value(x: CudaSlice<f32>, y: CudaSlice<f32>) {
    let args = A { x, y };
}

fn shared(x: &CudaSlice<f32>, y: &CudaSlice<f32>) {
    let args = A { x, y };
}

fn other_elements(x: &CudaSlice<f64>, y: &mut CudaSlice<i32>) {
    let args = A { x, y };
}
