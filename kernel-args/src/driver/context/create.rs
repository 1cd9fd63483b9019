//! Contexts that user code creates, in addition to the primary context of each device.

use super::{current::register, not_created};
use crate::driver::{
    api::{api, out, required},
    error::Error,
};
use core::ptr;
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// How a thread waits for the GPU: `CUctx_flags`, `CU_CTX_SCHED_*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheduling {
    /// The driver decides: it spins if there are fewer contexts than processors, otherwise it yields.
    #[default]
    Auto,
    /// The thread spins, for the shortest wait.
    Spin,
    /// The thread spins, and yields to other threads while it waits.
    Yield,
    /// The thread sleeps until the GPU has finished, and uses no processor time.
    BlockingSync,
}

/// Flags for [`create_context`]: `CUctx_flags`.
///
/// ```no_run
/// use kernel_args::context::{ContextFlags, Scheduling, create_context};
///
/// let flags = ContextFlags::new().scheduling(Scheduling::BlockingSync).keep_local_memory(true);
/// let ctx = create_context(0, flags)?;
/// # Ok::<(), kernel_args::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ContextFlags {
    scheduling: Scheduling,
    keep_local_memory: bool,
}

impl ContextFlags {
    /// Creates no flags: the driver's defaults.
    pub const fn new() -> Self {
        Self { scheduling: Scheduling::Auto, keep_local_memory: false }
    }

    /// Sets how a thread waits for the GPU.
    pub const fn scheduling(mut self, scheduling: Scheduling) -> Self {
        self.scheduling = scheduling;
        self
    }

    /// Keeps the local memory allocated after a kernel that needed more than the kernels before it:
    /// `CU_CTX_LMEM_RESIZE_TO_MAX`.
    pub const fn keep_local_memory(mut self, keep: bool) -> Self {
        self.keep_local_memory = keep;
        self
    }

    const fn bits(self) -> u32 {
        let scheduling = match self.scheduling {
            Scheduling::Auto => 0,
            Scheduling::Spin => 1,
            Scheduling::Yield => 2,
            Scheduling::BlockingSync => 4,
        };
        scheduling | if self.keep_local_memory { 0x10 } else { 0 }
    }
}

/// Creates a context on the device `ordinal`, in addition to the primary context, which [`context`](crate::context())
/// returns. The current context of this thread does not change. [`ContextFlags`] has an example.
///
/// The context is destroyed when the last handle to it is dropped; its kernels, modules, streams and slices each hold
/// one.
///
/// Calls the newest `cuCtxCreate` that the driver has: `_v4` (CUDA 12.5), `_v3` (11.4), `_v2`.
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::OldDriver`] if the driver has none of these calls;
/// [`Error::Context`] if the device does not exist; [`Error::Driver`].
pub fn create_context(ordinal: usize, flags: ContextFlags) -> Result<Arc<CudaContext>, Error> {
    let api = api()?;
    // Initialises the driver.
    CudaContext::device_count().map_err(|error| Error::cudarc("cuInit or cuDeviceGetCount", error))?;
    let device = out(|device| api.cuDeviceGet(device, i32::try_from(ordinal).unwrap_or(i32::MAX)))
        .map_err(|error| not_created(ordinal, error))?;
    required!(api, cuCtxPopCurrent_v2)?;
    // It is on top of this thread's stack. The driver removes it from there when it is destroyed.
    let context = api.create_context(ordinal, device, flags.bits())?;
    api.cuCtxPopCurrent_v2(&mut ptr::null_mut())?;
    register(&context);
    Ok(context)
}
