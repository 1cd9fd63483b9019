use kernel_args::{Error, sequence::Sequence};

fn hold(step: &mut Sequence, values: Vec<f32>) -> Result<(), Error> {
    step.run(|s| {
        s.hold(&values)?;
        Ok(())
    })
}
