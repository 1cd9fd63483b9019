use cudarc::driver::CudaSlice;
use kernel_args::{Error, sequence::Sequence};

fn hold(step: &mut Sequence, y: CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        s.hold(y)?;
        Ok(())
    })
}
