include!("../scale.rs");

fn nest(step: &mut Sequence, scale: &Kernel<Scale<'_>>, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        let (x, mut y) = (s.hold(x)?, s.hold(y)?);
        step.run(|s| unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x, y: &mut y }, stream = s) })
    })
}
