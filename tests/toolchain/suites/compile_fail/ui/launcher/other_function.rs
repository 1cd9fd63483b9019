include!("../run.rs");

fn start(stream: &cudarc::driver::CudaStream) -> Result<(), Error> {
    unsafe { launch!(ffi::run, RunDefault { n: 1 }, stream = stream) }
}

fn main() {
    let _ = start as fn(&cudarc::driver::CudaStream) -> _;
}
