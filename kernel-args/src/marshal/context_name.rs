//! Contexts by name: what an error shows of one.

use core::{
    fmt,
    hash::{Hash, Hasher},
};
use cudarc::driver::{CudaContext, sys::CUcontext};

/// A context, as an error names it: "the primary context of device 0", "context 0x55d0c3a1e2f0 of device 1".
///
/// It is a name, not a handle: it keeps no context alive, and asks nothing of one. Two names are equal if they are of one context,
/// as long as that lives; the driver may give the address of a destroyed context to a new one.
#[derive(Clone, Copy)]
pub struct ContextName {
    /// The driver's handle, as a number.
    handle: usize,
    /// The ordinal of the device, where it is known.
    device: Option<usize>,
    /// Whether it is known to be the primary context of the device.
    primary: bool,
}

impl ContextName {
    /// The name of `context`.
    #[must_use]
    pub fn of(context: &CudaContext) -> Self {
        Self {
            handle: context.cu_ctx().addr(),
            device: Some(context.ordinal()),
            primary: context.is_primary(),
        }
    }

    /// The name of a context of which the driver's handle is known, and perhaps the device.
    pub(crate) fn of_handle(handle: CUcontext, device: Option<usize>) -> Self {
        Self {
            handle: handle.addr(),
            device,
            primary: false,
        }
    }

    /// The ordinal of the context's device; `None` where only the driver's handle was known.
    #[must_use]
    pub fn device(&self) -> Option<usize> {
        self.device
    }

    /// The driver's handle, `CUcontext`, as a number.
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

impl fmt::Display for ContextName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.device {
            Some(device) if self.primary => write!(f, "the primary context of device {device}"),
            Some(device) => write!(f, "context {:#x} of device {device}", self.handle),
            None => write!(f, "context {:#x}", self.handle),
        }
    }
}

impl fmt::Debug for ContextName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An argument of another context than its launch.
#[derive(Clone, Copy)]
pub(crate) struct Foreign {
    /// The field, or the index in a list.
    pub(crate) field: usize,
    /// The context of the argument.
    pub(crate) argument: ContextName,
    /// The context of the launch.
    pub(crate) launch: ContextName,
}
