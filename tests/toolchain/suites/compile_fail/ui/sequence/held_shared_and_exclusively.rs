use cudarc::driver::CudaSlice;
use kernel_args::{Error, Kernel, KernelArgs, launch, sequence::Sequence};

#[derive(KernelArgs)]
struct Scale<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn alias(step: &mut Sequence, scale: &Kernel<Scale<'_>>, mut y: CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        let (x, mut y) = (s.hold(&y)?, s.hold(&mut y)?);
        unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x, y: &mut y }, stream = s) }
    })
}

fn main() {}
