use cudarc::driver::{CudaSlice, CudaStream, DriverError};
use kernel_args::DeviceType;
use std::{num::NonZeroU32, sync::Arc};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Range {
    start: u32,
    len: NonZeroU32,
}

fn ranges(stream: &Arc<CudaStream>) -> Result<CudaSlice<Range>, DriverError> {
    stream.alloc_zeros::<Range>(16)
}
