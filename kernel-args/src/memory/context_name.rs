//! The name of a context in error messages.

use core::hash::{Hash, Hasher};
use cudarc::driver::{CudaContext, sys::CUcontext};

/// The name of a context in an error: "the primary context of device 0", "context 0x55d0c3a1e2f0 of device 1".
///
/// A name does not keep its context alive and does not call the driver. Two names of the same context are equal. The
/// driver can reuse the address of a destroyed context for a new context, so names of destroyed contexts are not
/// unique.
#[derive(Clone, Copy)]
pub struct ContextName {
    handle: usize,
    /// The ordinal of the device, if it is known.
    device: Option<usize>,
    /// Whether it is the primary context of the device, as far as is known.
    primary: bool,
}

impl ContextName {
    /// Returns the name of `context`.
    #[must_use]
    pub fn of(context: &CudaContext) -> Self {
        Self { handle: context.cu_ctx().addr(), device: Some(context.ordinal()), primary: context.is_primary() }
    }

    pub(crate) fn of_handle(handle: CUcontext, device: Option<usize>) -> Self {
        Self { handle: handle.addr(), device, primary: false }
    }

    /// Returns the ordinal of the context's device; `None` if only the driver's handle is known.
    #[must_use]
    pub fn device(&self) -> Option<usize> {
        self.device
    }

    /// Returns the driver's handle, `CUcontext`, as a number.
    #[must_use]
    pub fn handle(&self) -> usize {
        self.handle
    }
}

impl PartialEq for ContextName {
    fn eq(&self, other: &Self) -> bool {
        self.handle == other.handle
    }
}

impl Eq for ContextName {}

impl Hash for ContextName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.handle.hash(state);
    }
}

display!(ContextName, |this, f| match this.device {
    Some(device) if this.primary => write!(f, "the primary context of device {device}"),
    Some(device) => write!(f, "context {:#x} of device {device}", this.handle),
    None => write!(f, "context {:#x}", this.handle),
});

debug_as_display!(ContextName);

/// An argument that belongs to a different context than its launch.
#[derive(Clone, Copy)]
pub(crate) struct OtherContext {
    /// The field, or the index in a list.
    pub(crate) field: usize,
    pub(crate) argument: ContextName,
    pub(crate) launch: ContextName,
}
