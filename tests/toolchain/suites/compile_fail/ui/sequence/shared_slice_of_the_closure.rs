include!("../scale.rs");

fn allocate(step: &mut Sequence, scale: &Kernel<Scale<'_>>, mut y: CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        let temporary = s.stream().alloc_zeros::<f32>(1024).unwrap();
        let (x, mut y) = (s.hold(&temporary)?, s.hold(&mut y)?);
        unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x, y: &mut y }, stream = s) }
    })
}
