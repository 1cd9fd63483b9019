include!("../scale.rs");

fn alias(step: &mut Sequence, scale: &Kernel<Scale<'_>>, mut y: CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        let (x, mut y) = (s.hold(&mut y)?, s.hold(&mut y)?);
        unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x: &x, y: &mut y }, stream = s) }
    })
}
