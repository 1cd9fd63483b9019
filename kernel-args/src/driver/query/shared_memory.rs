//! The dynamic shared memory that a function is allowed.

use super::attribute;
use crate::driver::{
    api::{CallError, FunctionHandle, api},
    error::{Error, LaunchError, Limit},
};
use cudarc::driver::sys::CUresult;
use std::{
    boxed::Box,
    format,
    string::String,
    sync::{Mutex, PoisonError},
};

/// How much dynamic and static shared memory a block may have without an opt-in, in bytes.
pub(crate) const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;

/// Held while the limit of a function is compared and raised.
static RAISING: Mutex<()> = Mutex::new(());

/// Allows `function`, whose context is current, at least `bytes` of dynamic shared memory per block; returns what it is allowed.
///
/// The driver keeps this limit with the function, not with a handle or a thread. It is only ever raised: a launch that
/// needs less must not take from another one what it was given.
///
/// # Errors
/// [`Error::Launch`] where the driver does not allow as much; [`Error::Driver`].
pub(crate) fn allow(
    function: FunctionHandle<'_>,
    bytes: u32,
    name: impl Fn() -> String,
) -> Result<u32, Error> {
    const LIMIT: u32 = attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // The limit is only ever raised, so a launch that needs no more than it takes no lock.
    let allowed = attribute::get(function, LIMIT)?;
    if bytes <= allowed {
        return Ok(allowed);
    }
    // The lock protects the driver's state, which a panic elsewhere does not affect.
    let _raising = RAISING.lock().unwrap_or_else(PoisonError::into_inner);
    let allowed = attribute::get(function, LIMIT)?;
    if bytes <= allowed {
        return Ok(allowed);
    }
    match api()?.cuFuncSetAttribute(function, LIMIT, bytes.cast_signed()) {
        Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_INVALID_VALUE => {
            let limit = format!("the device allows less for this kernel: {call}");
            Err(exceeded(name(), bytes, limit))
        }
        set => Ok(set.map(|()| bytes)?),
    }
}

/// The error of a launch that requests more dynamic shared memory than `limit` says.
#[cold]
pub(crate) fn exceeded(kernel: String, bytes: u32, limit: String) -> Error {
    Error::Launch(LaunchError::Limit(Box::new(Limit {
        kernel,
        requested: format!("{bytes} bytes of dynamic shared memory"),
        limit,
        help: "use less shared memory per block; static shared memory counts as well",
    })))
}
