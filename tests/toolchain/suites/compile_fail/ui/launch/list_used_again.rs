use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{ArgList, Function, launch};
use std::sync::Arc;

fn start(fill: &Function, stream: &Arc<CudaStream>, mut y: CudaSlice<f32>) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let mut args = ArgList::new();
    args.push(1024_u32).push(&mut y);
    unsafe { launch!(fill, 4, 256, &mut args)? };
    Ok(stream.clone_dtoh(&y)?)
}
