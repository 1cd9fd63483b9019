use super::attribute;
use crate::{
    driver::{
        api::{CallError, FunctionHandle, api},
        error::{Error, Limit},
    },
    lock::lock,
};
use cudarc::driver::sys::CUresult;
use std::sync::Mutex;

/// The maximum size of dynamic and static shared memory per block without an opt-in, in bytes.
pub(crate) const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;

/// Held while the limit of a function is checked and raised.
static RAISING: Mutex<()> = Mutex::new(());

/// Allows `function` at least `bytes` of dynamic shared memory per block; returns the new limit. The function's context
/// must be current.
///
/// The driver stores this limit with the function, not with a handle or a thread. It is never lowered, so a launch that
/// is within it takes no lock.
pub(crate) fn allow(function: FunctionHandle<'_>, bytes: u32, name: &dyn Fn() -> String) -> Result<u32, Error> {
    const LIMIT: u32 = attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let allowed = attribute::get(function, LIMIT)?;
    if bytes <= allowed {
        return Ok(allowed);
    }
    // The lock protects the driver's state, which a panic elsewhere does not affect.
    let _raising = lock(&RAISING);
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

#[cold]
pub(crate) fn exceeded(kernel: String, bytes: u32, limit: String) -> Error {
    const HELP: &str = "use less shared memory per block; static shared memory counts as well";
    Limit::error(kernel, format!("{bytes} bytes of dynamic shared memory"), limit, HELP)
}
