include!("../run.rs");

fn start(mut y: CudaSlice<f32>, stream: &cudarc::driver::CudaStream) -> Result<(), Error> {
    unsafe { launch!(ffi::run, 1, 256, Run { n: 1, y: &mut y }, stream = stream) }
}
