include!("../scale.rs");

fn alias(step: &mut Sequence, scale: &Kernel<Scale<'_>>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        let mut y = s.hold(y)?;
        unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x: &y, y: &mut y }, stream = s) }
    })
}
