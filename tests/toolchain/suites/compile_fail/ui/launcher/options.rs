include!("../run.rs");

fn start(mut y: CudaSlice<f32>, stream: &cudarc::driver::CudaStream) -> Result<(), Error> {
    unsafe { launch!(ffi::run, Run { n: 1, y: &mut y }, stream = stream, shared = 1024)? };
    unsafe { launch!(ffi::run_default, RunDefault { n: 1 }, default_stream = false)? };
    unsafe { launch!(ffi::run_default, RunDefault { n: 1 }, default_stream = true, stream = stream)? };
    unsafe { launch!(ffi::run, 1, 256, Run { n: 1, y: &mut y }, default_stream = true) }
}
