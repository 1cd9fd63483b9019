use cudarc::driver::CudaSlice;
use kernel_args::{Error, sequence::Sequence};

fn hold(step: &mut Sequence, x: &CudaSlice<f32>) -> Result<(), Error> {
    step.run(|s| {
        s.hold(x.slice(..512))?;
        Ok(())
    })
}
