use crate::{
    device::vector::Dim3,
    driver::{
        api::{CallError, FunctionHandle, api, out},
        context::current_device,
    },
};
use core::ffi::c_int;
use cudarc::driver::sys::CUdevice;

/// The number that a call writes; 0 if it is negative.
pub(crate) fn number(call: impl FnOnce(&mut c_int) -> Result<(), CallError>) -> Result<u32, CallError> {
    Ok(u32::try_from(out(call)?).unwrap_or(0))
}

/// Returns an attribute of the current device, by its number in `CUdevice_attribute`.
pub(crate) fn device_attribute(attribute: u32) -> Result<u32, CallError> {
    attribute_of(current_device()?, attribute)
}

pub(crate) fn attribute_of(device: CUdevice, attribute: u32) -> Result<u32, CallError> {
    let api = api()?;
    number(|value| api.cuDeviceGetAttribute(value, attribute, device))
}

pub(crate) fn max_sizes() -> Result<[Dim3; 2], CallError> {
    // `CU_DEVICE_ATTRIBUTE_…`. The attributes of y and z follow the attribute of x.
    const MAX_GRID_DIM_X: u32 = 5;
    const MAX_BLOCK_DIM_X: u32 = 2;
    let extent = |x| -> Result<_, CallError> {
        Ok(Dim3::new(device_attribute(x)?, device_attribute(x + 1)?, device_attribute(x + 2)?))
    };
    Ok([extent(MAX_GRID_DIM_X)?, extent(MAX_BLOCK_DIM_X)?])
}

/// Returns the maximum number of blocks of `threads` threads on one multiprocessor. The function is loaded in the
/// current context.
pub(crate) fn max_active_blocks(function: FunctionHandle<'_>, threads: u64, shared: u32) -> Result<u32, CallError> {
    let api = api()?;
    let (threads, shared) = (c_int::try_from(threads).unwrap_or(c_int::MAX), shared as usize);
    number(|blocks| api.cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared))
}

/// [`max_active_blocks`] on all multiprocessors together.
pub(crate) fn max_cooperative_blocks(
    function: FunctionHandle<'_>,
    threads: u64,
    shared: u32,
) -> Result<u32, CallError> {
    /// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
    const MULTIPROCESSOR_COUNT: u32 = 16;
    let each = max_active_blocks(function, threads, shared)?;
    Ok(each.saturating_mul(device_attribute(MULTIPROCESSOR_COUNT)?))
}
