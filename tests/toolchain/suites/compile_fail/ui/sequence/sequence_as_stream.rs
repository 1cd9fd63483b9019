include!("../scale.rs");

fn write(step: &mut Sequence, scale: &Kernel<Scale<'_>>, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x, y }, stream = step) }
}
