use cudarc::driver::{CudaSlice, CudaStream, DriverError};
use kernel_args::DeviceType;
use std::sync::Arc;

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Mode {
    Fast = 1,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair<T> {
    first: T,
    second: T,
}

fn pairs(stream: &Arc<CudaStream>) -> Result<CudaSlice<Pair<Mode>>, DriverError> {
    stream.alloc_zeros::<Pair<Mode>>(16)
}
