//! Keeps contexts alive that can be made current again.
//!
//! Driver 580 uses freed memory if a destroyed context is passed to `cuCtxSetCurrent` or `cuCtxPushCurrent`, unless the
//! context is still on a thread's stack. A context on a stack is not freed: calls in a destroyed context return an
//! error, `cuCtxPopCurrent` removes it, and no new context gets its handle. For this reason a previously current handle
//! is passed to the driver only if it belongs to a primary context, which the driver never frees, or if something keeps
//! the context alive.

use core::ptr;
use cudarc::driver::{CudaContext, sys::CUcontext};
use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    vec::Vec,
};

/// The non-primary contexts that were passed to this crate, by handle. They are not kept alive.
static SEEN: Mutex<Vec<(usize, Weak<CudaContext>)>> = Mutex::new(Vec::new());

/// Adds `context` to the contexts that [`find_owner`] finds.
pub(crate) fn register(context: &Arc<CudaContext>) {
    if context.is_primary() {
        return;
    }
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.iter().any(|(_, one)| ptr::eq(one.as_ptr(), &raw const **context)) {
        seen.retain(|(_, one)| one.strong_count() > 0);
        seen.push((context.cu_ctx().addr(), Arc::downgrade(context)));
    }
}

/// A strong reference to the non-primary context with this handle, if it was passed to this crate. It can become the
/// last reference.
pub(crate) fn find_owner(context: CUcontext) -> Option<Arc<CudaContext>> {
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut alike = seen.iter().filter(|(handle, _)| *handle == context.addr());
    // Only the context with this handle is upgraded, and it is returned, so no context is dropped here.
    alike.find_map(|(_, one)| one.upgrade())
}
