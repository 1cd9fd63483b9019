struct Args {
    n: u32,
}

fn start(fill: &kernel_args::Kernel<Args>, stream: &std::sync::Arc<cudarc::driver::CudaStream>) {
    unsafe { launch!(fill, 1, 256, Args { n: 1 }, stream = stream) };
}
