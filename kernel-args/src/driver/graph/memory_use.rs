//! How much memory the graphs of a device use.

use super::Graph;
use crate::driver::{
    api::{Api, api, out},
    context::make_current,
    error::Error,
};
use cudarc::driver::{CudaContext, sys::CUdevice};
use std::sync::Arc;

/// The memory that the graphs of a device have allocated, in bytes: `cuDeviceGetGraphMemAttribute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphMemoryUse {
    /// The memory that graphs use now.
    pub used: u64,
    /// The largest value of `used` since the last [`Graph::reset_memory_peaks`].
    pub used_peak: u64,
    /// The memory that the driver keeps for graphs now, for example for their next launch.
    pub reserved: u64,
    /// The largest value of `reserved` since the last [`Graph::reset_memory_peaks`].
    pub reserved_peak: u64,
}

/// `CUgraphMem_attribute`.
const USED: u32 = 0;
const USED_PEAK: u32 = 1;
const RESERVED: u32 = 2;
const RESERVED_PEAK: u32 = 3;

fn device(ctx: &Arc<CudaContext>) -> Result<(&'static Api, CUdevice), Error> {
    let api = api()?;
    make_current(ctx)?;
    Ok((api, ctx.cu_device()))
}

impl Graph {
    /// The memory that the graphs of the device of `ctx` use.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::OldDriver`].
    pub fn memory_use(ctx: &Arc<CudaContext>) -> Result<GraphMemoryUse, Error> {
        let (api, device) = device(ctx)?;
        let get = |attribute| out(|value| api.cuDeviceGetGraphMemAttribute(device, attribute, value));
        Ok(GraphMemoryUse {
            used: get(USED)?,
            used_peak: get(USED_PEAK)?,
            reserved: get(RESERVED)?,
            reserved_peak: get(RESERVED_PEAK)?,
        })
    }

    /// Gives memory that the driver keeps for graphs of this device, and that no graph uses now, back to the device:
    /// `cuDeviceGraphMemTrim`. The next launches allocate it again.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::OldDriver`].
    pub fn trim_memory(ctx: &Arc<CudaContext>) -> Result<(), Error> {
        let (api, device) = device(ctx)?;
        Ok(api.cuDeviceGraphMemTrim(device)?)
    }

    /// Sets the peaks of [`memory_use`](Self::memory_use) to the current values.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::OldDriver`].
    pub fn reset_memory_peaks(ctx: &Arc<CudaContext>) -> Result<(), Error> {
        let (api, device) = device(ctx)?;
        for attribute in [USED_PEAK, RESERVED_PEAK] {
            api.cuDeviceSetGraphMemAttribute(device, attribute, &mut 0)?;
        }
        Ok(())
    }
}
