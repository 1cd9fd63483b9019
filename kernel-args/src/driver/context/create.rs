//! Contexts of the program's own, beside the primary one of each device.

use super::keep_alive::remember;
use crate::driver::{
    api::{api, required},
    error::Error,
};
use core::ptr;
use cudarc::driver::{CudaContext, result};
use std::sync::Arc;

/// How a thread waits for the GPU: `CUctx_flags`, `CU_CTX_SCHED_*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheduling {
    /// The driver decides: it spins where there are fewer contexts than processors, else it yields.
    #[default]
    Auto,
    /// The thread spins: the shortest wait.
    Spin,
    /// The thread spins, and yields to others meanwhile.
    Yield,
    /// The thread sleeps until the GPU has finished: no processor time.
    BlockingSync,
}

/// The flags of a context that [`create_context`] makes: `CUctx_flags`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ContextFlags {
    scheduling: Scheduling,
    keep_local_memory: bool,
}

impl ContextFlags {
    /// No flags: the driver's defaults.
    pub const fn new() -> Self {
        Self {
            scheduling: Scheduling::Auto,
            keep_local_memory: false,
        }
    }

    /// How a thread waits for the GPU.
    pub const fn scheduling(mut self, scheduling: Scheduling) -> Self {
        self.scheduling = scheduling;
        self
    }

    /// Keeps local memory after a kernel that needed more of it than kernels before: `CU_CTX_LMEM_RESIZE_TO_MAX`.
    pub const fn keep_local_memory(mut self, keep: bool) -> Self {
        self.keep_local_memory = keep;
        self
    }

    /// The flags as the driver takes them.
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

/// Makes a context of the program's own on the device `ordinal`, beside the primary context, which [`context`](crate::context())
/// gives. The context that is current on this thread stays so.
///
/// Nothing is shared between two contexts of a device: modules, streams, events and memory belong to one of them. Most programs
/// need the primary one only, which the CUDA runtime and its libraries share. The context is destroyed when the last handle is
/// dropped, and everything that is made in it holds one: kernels, modules, streams, slices.
///
/// `cuCtxCreate` in the newest form that the driver has: `_v4` (CUDA 12.5), `_v3` (11.4), `_v2`.
///
/// ```no_run
/// use kernel_args::context::{ContextFlags, Scheduling};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let flags = ContextFlags::new().scheduling(Scheduling::BlockingSync);
/// let ctx = kernel_args::context::create_context(0, flags)?;
/// let stream = ctx.new_stream()?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::OldDriver`] where it has none of these calls; [`Error::Driver`] where
/// the driver has no such device or makes no context.
pub fn create_context(ordinal: usize, flags: ContextFlags) -> Result<Arc<CudaContext>, Error> {
    let api = api()?;
    // Initialises the driver, and refuses a device that there is not.
    CudaContext::device_count()
        .map_err(|error| Error::cudarc("cuInit or cuDeviceGetCount", error))?;
    let device = result::device::get(i32::try_from(ordinal).unwrap_or(i32::MAX))
        .map_err(|error| Error::cudarc("cuDeviceGet", error))?;
    required!(api, cuCtxPopCurrent_v2)?;
    // It is now on top of this thread's stack, and comes off it when it is destroyed.
    let context = api.create_context(ordinal, device, flags.bits())?;
    api.cuCtxPopCurrent_v2(&mut ptr::null_mut())?;
    remember(&context);
    Ok(context)
}
