use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{Error, Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
struct Fill<'a> {
    value: f32,
    y: &'a mut CudaSlice<f32>,
}

fn capture(stream: &CudaStream, fill: &Kernel<Fill<'static>>, mut y: CudaSlice<f32>) -> Result<(), Error> {
    let args = Fill { value: 1.0, y: &mut y };
    unsafe { launch!(fill, 4, 256, args, node, stream = stream)? };
    Ok(())
}
