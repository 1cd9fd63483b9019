use cudarc::driver::{CudaSlice, CudaStream, DriverError};
use kernel_args::DeviceType;
use std::sync::Arc;

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Mode {
    Fast = 1,
    Exact = 2,
}

fn modes(stream: &Arc<CudaStream>) -> Result<CudaSlice<Mode>, DriverError> {
    stream.alloc_zeros::<Mode>(16)
}
