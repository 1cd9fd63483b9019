include!("../scale.rs");

fn lose(step: &mut Sequence, scale: &Kernel<Scale<'_>>, x: &CudaSlice<f32>, mut y: CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        let (x, mut held) = (s.hold(x)?, s.hold(&mut y)?);
        unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x, y: &mut held }, stream = s)? };
        drop(y);
        Ok(())
    })
}
