//! Detects a reset of a primary context, which invalidates everything that was created in it.

use super::{Api, api, out};
use cudarc::driver::{CudaContext, sys::CUdevice};

/// Distinguishes a context from a later context with the same handle.
///
/// A primary context keeps its handle when it is reset (`cudaDeviceReset`, `cuDevicePrimaryCtxReset`) and created
/// again. The driver reports whether it is active, and gives each context a unique id (12.0 and newer).
#[derive(Clone, Copy)]
pub(crate) struct ContextState(Option<u64>);

impl ContextState {
    pub(crate) fn of(api: &Api, context: &CudaContext) -> Self {
        Self(api.context_id(context))
    }

    /// Returns whether the context was reset since, if the driver reports it.
    pub(crate) fn is_over(self, api: &Api, context: &CudaContext) -> bool {
        is_inactive(api, context) || self.0.zip(api.context_id(context)).is_some_and(|(before, now)| before != now)
    }
}

impl Api {
    /// `None` before 12.0. The handle of a primary context is valid even while the context is not active.
    pub(crate) fn context_id(&self, context: &CudaContext) -> Option<u64> {
        out(|id| self.cuCtxGetId(context.into(), id)).ok()
    }
}

/// `None` if the driver does not report it.
pub(super) fn is_active(api: &Api, device: CUdevice) -> Option<bool> {
    let active = out(|active| api.cuDevicePrimaryCtxGetState(device, &mut 0, active));
    active.ok().map(|active| active != 0)
}

fn is_inactive(api: &Api, context: &CudaContext) -> bool {
    context.is_primary() && is_active(api, context.cu_device()) == Some(false)
}

/// Returns whether `context` is a primary context that was reset and not created again.
#[cold]
pub(crate) fn was_reset(context: &CudaContext) -> bool {
    api().is_ok_and(|api| is_inactive(api, context))
}
