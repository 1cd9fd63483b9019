use cudarc::driver::CudaSlice;
use kernel_args::{Error, Kernel, KernelArgs, launch, sequence::Sequence};

#[derive(KernelArgs)]
struct Scale<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn allocate(step: &mut Sequence, scale: &Kernel<Scale<'_>>, x: &CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        let mut temporary = s.stream().alloc_zeros::<f32>(1024).unwrap();
        let (x, mut y) = (s.hold(x)?, s.hold(&mut temporary)?);
        unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x, y: &mut y }, stream = s) }
    })
}

fn main() {}
