//! Whether there is a driver, and the first context.

use super::{
    api,
    error::{DriverCall, Error},
};
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// Whether the CUDA driver's library is on this machine. It says nothing of a GPU.
#[must_use]
pub fn is_available() -> bool {
    api::is_available()
}

/// cudarc's context of the device `ordinal`, as [`CudaContext::new`]; but where there is no driver,
/// that is an error and no panic.
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::Driver`] where the driver has no such device.
pub fn context(ordinal: usize) -> Result<Arc<CudaContext>, Error> {
    api::api()?;
    CudaContext::new(ordinal).map_err(|error| {
        Error::Driver(DriverCall {
            call: "cuInit, cuDeviceGet or cuDevicePrimaryCtxRetain",
            status: error.0.into(),
        })
    })
}
