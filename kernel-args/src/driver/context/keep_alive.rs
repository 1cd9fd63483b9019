//! Which contexts may be made current again.
//!
//! Driver 580 does not survive a destroyed context that is passed to `cuCtxSetCurrent` or `cuCtxPushCurrent`, unless it still stands
//! on a stack of a thread: it uses memory that it has freed. (What stands on a stack is not freed: calls in a destroyed context return
//! an error, `cuCtxPopCurrent` takes it off, and no new context has its handle.) So a handle that was current before is passed to the
//! driver only where it is that of a primary context, which the driver never frees, or where something keeps the context alive.

use core::ptr;
use cudarc::driver::{CudaContext, sys::CUcontext};
use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    vec::Vec,
};

/// The contexts of the program's own that this crate has seen, by their handles. They are not kept alive.
static SEEN: Mutex<Vec<(usize, Weak<CudaContext>)>> = Mutex::new(Vec::new());

/// From now on [`hold`] finds `context`.
pub(crate) fn remember(context: &Arc<CudaContext>) {
    if context.is_primary() {
        return;
    }
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen
        .iter()
        .any(|(_, one)| ptr::eq(one.as_ptr(), &raw const **context))
    {
        seen.retain(|(_, one)| one.strong_count() > 0);
        seen.push((context.cu_ctx().addr(), Arc::downgrade(context)));
    }
}

/// The context of the program's own that has this handle, if this crate has seen it. It may be the last one to hold it.
pub(crate) fn hold(context: CUcontext) -> Option<Arc<CudaContext>> {
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut alike = seen.iter().filter(|(handle, _)| *handle == context.addr());
    // Only what has the handle is upgraded, and leaves: no context is dropped here.
    alike.find_map(|(_, one)| one.upgrade())
}
