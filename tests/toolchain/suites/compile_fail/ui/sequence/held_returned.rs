use cudarc::driver::CudaSlice;
use kernel_args::{Error, sequence::Sequence};

fn keep(step: &mut Sequence, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    let mut y = step.run(|s| s.hold(y))?;
    y.slice_mut(..);
    Ok(())
}
