//! Whether a context is still the one that it was: a program can reset a primary context under everything that was made in it.

use super::{Api, ContextHandle, api, out};
use cudarc::driver::{CudaContext, sys::CUdevice};

/// What tells a context from a later one of the same handle.
///
/// A primary context keeps its handle when it is reset (`cudaDeviceReset`, `cuDevicePrimaryCtxReset`) and made again, and nothing
/// that was made in it before is valid then. The driver tells whether one is active, by the device's number, and gives each context
/// an id that is unique in the process (driver 12.0 and newer). A context that is not a primary one is destroyed with the last
/// handle of cudarc's, and what is made in it holds one.
#[derive(Clone, Copy)]
pub(crate) struct ContextState {
    id: Option<u64>,
}

impl ContextState {
    /// The state of a context that is alive.
    pub(crate) fn of(api: &Api, context: &CudaContext) -> Self {
        Self {
            id: id(api, context),
        }
    }

    /// Whether the context has certainly been reset since. Where the driver does not tell, it has not.
    pub(crate) fn is_over(self, api: &Api, context: &CudaContext) -> bool {
        if is_inactive(api, context) {
            return true;
        }
        match (self.id, id(api, context)) {
            (Some(before), Some(now)) => before != now,
            _ => false,
        }
    }
}

/// `cuCtxGetId`; `None` where the driver is older than 12.0 or does not tell. The handle of a primary context is valid for the whole
/// process, even if that is not active.
fn id(api: &Api, context: &CudaContext) -> Option<u64> {
    out(|id| api.cuCtxGetId(ContextHandle::from(context), id)).ok()
}

/// Whether the primary context of a device is active; `None` where the driver does not tell.
pub(super) fn is_active(api: &Api, device: CUdevice) -> Option<bool> {
    let mut flags = 0;
    let active = out(|active| api.cuDevicePrimaryCtxGetState(device, &mut flags, active));
    active.ok().map(|active| active != 0)
}

/// Whether `context` is a primary one that is certainly not active.
fn is_inactive(api: &Api, context: &CudaContext) -> bool {
    context.is_primary() && is_active(api, context.cu_device()) == Some(false)
}

/// Whether `context` is a primary one that was reset and has not been made again.
#[cold]
pub(crate) fn was_reset(context: &CudaContext) -> bool {
    api().is_ok_and(|api| is_inactive(api, context))
}
