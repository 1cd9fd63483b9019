//! Whether there is a driver; the first context, and the GPU of a context.

use super::{
    api::{self, api},
    error::{DriverCall, Error},
};
use cudarc::driver::CudaContext;
use kernel_args_abi::Sm;
use std::sync::Arc;

/// Whether the CUDA driver's library is on this machine. There may be no GPU all the same.
#[must_use]
pub fn is_available() -> bool {
    api::is_available()
}

/// cudarc's context of the device `ordinal`, as [`CudaContext::new`], which panics where there is no driver; this
/// returns an error.
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::Driver`] where the driver has no such device.
pub fn context(ordinal: usize) -> Result<Arc<CudaContext>, Error> {
    api()?;
    CudaContext::new(ordinal).map_err(|error| {
        Error::Driver(DriverCall {
            call: "cuInit, cuDeviceGet or cuDevicePrimaryCtxRetain",
            status: error.0.into(),
        })
    })
}

/// The compute capability of the context's GPU.
pub(super) fn sm(context: &Arc<CudaContext>) -> Result<Sm, Error> {
    let (major, minor) = context.compute_capability().map_err(Error::context)?;
    Ok(Sm(u16::try_from(major * 10 + minor).unwrap_or(0)))
}
