//! The driver's availability, contexts, and the current context of a thread.

mod create;
mod current;
mod green;
mod peer;
mod runtime;
mod versions;

pub(crate) use crate::driver::api::make_current;
pub use create::{ContextFlags, Scheduling, create_context};
pub(crate) use current::restored_on_error;
pub use current::{current_context, with_current};
pub use green::{GreenContext, GreenStream};
pub use peer::{Peer, PeerAccess};
pub use runtime::{BorrowedStream, kernel_function};
#[cfg(any(feature = "nvrtc", feature = "record"))]
pub(crate) use versions::driver_version;
pub(crate) use versions::machine;
pub use versions::{Gpu, Versions, versions};

use crate::{
    driver::{
        api::{self, Api, CallError, Status, api, out},
        error::{ContextError, Error},
    },
    memory::ContextName,
};
use core::ptr;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream,
    sys::{CUcontext, CUdevice, CUfunction_attribute},
};
use kernel_args_abi::Sm;
use std::sync::Arc;

/// Returns whether the CUDA driver's library is on this machine. The machine can still have no GPU.
#[must_use]
pub fn is_available() -> bool {
    api::driver().is_some()
}

/// cudarc's context of the device `ordinal`. [`CudaContext::new`] panics without a driver.
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::Context`] if the device does not exist;
/// [`Error::Driver`].
pub fn context(ordinal: usize) -> Result<Arc<CudaContext>, Error> {
    api()?;
    let calls = "cuInit, cuDeviceGet, cuDevicePrimaryCtxRetain, cuDeviceGetAttribute or cuCtxSetCurrent";
    CudaContext::new(ordinal).map_err(|error| not_created(ordinal, CallError::cudarc(calls, error)))
}

/// Runs `work`, which enqueues on the stream what its caller relies on when it returns, such as a copy to the host.
///
/// `None` while the stream is being captured, before `work` or afterwards: the work would be part of the graph, or is
/// if a different thread has begun the capture meanwhile. Then the value is leaked, because the graph uses its memory.
#[cfg(any(feature = "graphs", feature = "textures"))]
pub(crate) fn uncaptured<T>(stream: &CudaStream, work: impl FnOnce() -> Result<T, Error>) -> Result<Option<T>, Error> {
    let (api, context) = (api()?, stream.context());
    make_current(context)?;
    if api.is_capturing(stream)? {
        return Ok(None);
    }
    let value = work()?;
    if api.is_capturing(stream)? {
        core::mem::forget(value);
        return Ok(None);
    }
    // cudarc stores errors of waits.
    context.check_err().map_err(|error| Error::cudarc("cuStreamWaitEvent or cuEventRecord", error))?;
    Ok(Some(value))
}

/// `NoDevice`, if the device does not exist.
#[cold]
fn not_created(ordinal: usize, error: CallError) -> Error {
    let count = CudaContext::device_count().map_or(0, |count| usize::try_from(count).unwrap_or(0));
    match error {
        CallError::Returned(call) if (1..=ordinal).contains(&count) => {
            Error::Context(ContextError::NoDevice { ordinal, count, call })
        }
        error => error.into(),
    }
}

/// Returns a stream without work. cudarc tracks the use of slices only while a context has a stream that cudarc
/// created.
pub(crate) fn tracking(context: &Arc<CudaContext>) -> Result<Arc<CudaStream>, Error> {
    let calls = "cuCtxGetCurrent, cuCtxSetCurrent, cuCtxSynchronize or cuStreamCreate";
    context.new_stream().map_err(|error| Error::cudarc(calls, error))
}

/// Also returns the error of an earlier call of cudarc, unlike `Api::sm`.
pub(crate) fn sm(context: &Arc<CudaContext>) -> Result<Sm, Error> {
    context.check_err().map_err(|error| Error::cudarc("cuDeviceGetAttribute", error))?;
    Ok(api()?.sm(context.cu_device())?)
}

/// Null if no context is current.
pub(crate) fn current() -> Result<CUcontext, Error> {
    Ok(api()?.current()?)
}

/// Makes `context` current on this thread for a launch, with a single driver call if it is current already.
///
/// cudarc's `bind_to_thread` also takes the pending error of an earlier call, with a locked instruction.
#[inline(always)]
pub(crate) fn bind(api: &Api, context: &Arc<CudaContext>) -> Result<(), Error> {
    let mut current = ptr::null_mut();
    // The error type of the method would occupy memory in every launch.
    let status = (api.cuCtxGetCurrent)(&mut current);
    if status == Status::SUCCESS && current == context.cu_ctx() {
        return Ok(());
    }
    bind_different(context, status)
}

#[cold]
fn bind_different(context: &Arc<CudaContext>, queried: Status) -> Result<(), Error> {
    queried.check("cuCtxGetCurrent")?;
    Ok(make_current(context)?)
}

/// It is current on this thread.
#[cold]
pub(crate) fn named(context: CUcontext) -> ContextName {
    let device = current_device().ok();
    ContextName::of_handle(context, device.and_then(|device| device.try_into().ok()))
}

pub(crate) fn current_device() -> Result<CUdevice, CallError> {
    let api = api()?;
    out(|device| api.cuCtxGetDevice(device))
}

/// Makes the context current in which cudarc loaded `function`, and returns it: cudarc does so to query an attribute.
pub(crate) fn bind_function(function: &CudaFunction) -> Result<CUcontext, Error> {
    let calls = "cuCtxGetCurrent, cuCtxSetCurrent or cuFuncGetAttribute, or an earlier call in this context,";
    let queried = function.get_attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    queried.map_err(|error| Error::cudarc(calls, error))?;
    current()
}
