//! The current context of a thread.
//!
//! Driver 580 uses freed memory if a destroyed context is passed to `cuCtxSetCurrent` or `cuCtxPushCurrent`, unless the
//! context is still on a thread's stack. Calls in a context on a stack return an error, and no new context gets its
//! handle. So a previously current handle is passed to the driver only if it belongs to a primary context, which the
//! driver never frees, or if something keeps the context alive.
//!
//! Everything that is made in a context holds it, so safe code cannot destroy a context under a handle. A reset of a
//! primary context can. Only the cold path of a launch queries that (`cuDevicePrimaryCtxGetState`, `cuCtxGetId`).

use super::{bind, current, named};
use crate::{
    driver::{
        api::{Api, ContextHandle, api, required},
        error::{ContextError, Error},
    },
    lock::lock,
    memory::ContextName,
};
use core::{mem, ptr};
use cudarc::driver::{CudaContext, sys::CUcontext};
use std::sync::{Arc, Mutex, Weak};

/// Returns the context that is current on this thread, if any. Compare it with [`ContextName::of`].
///
/// [`contexts`](crate::guide::contexts) lists what uses it. If another thread has destroyed it, it stays current, and
/// such calls return `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::Driver`].
pub fn current_context() -> Result<Option<ContextName>, Error> {
    let context = current()?;
    Ok((!context.is_null()).then(|| named(context)))
}

/// Runs `work` while `context` is current on this thread; then restores the previous context, even if `work` panics or
/// changes it: `cuCtxPushCurrent`, `cuCtxPopCurrent`.
///
/// # Errors
/// [`Error::Driver`] if the context cannot be made current: `work` has not run. [`Error::Context`] if the previous
/// context cannot be restored: `work` has run.
///
/// # Contexts that are destroyed inside
/// `work` can drop the last owner of a context. The previous context is still restored if it is a primary context, a
/// context of [`create_context`](crate::context::create_context), or was passed to this function before: this function
/// keeps it alive. For any other context the result is [`Error::Context`]: its state is unknown, and the driver can
/// crash when it makes a destroyed context current.
pub fn with_current<T>(context: &Arc<CudaContext>, work: impl FnOnce() -> T) -> Result<T, Error> {
    let stack = Stack::push(context)?;
    let on_panic = OnPanic(&stack);
    let value = work();
    mem::forget(on_panic);
    stack.restore()?;
    Ok(value)
}

/// Runs `load` in `context`, which stays current. If `load` returns an error, restores the previous context.
pub(crate) fn restored_on_error<T>(
    context: &Arc<CudaContext>,
    load: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let stack = Stack::push(context)?;
    let loaded = load();
    let restored = stack.restore();
    let loaded = loaded?;
    restored?;
    bind(stack.api, context)?;
    Ok(loaded)
}

/// The context stack of this thread, with a pushed context.
struct Stack {
    api: &'static Api,
    before: CUcontext,
    /// Keeps `before` alive, if its owner is known.
    owner: Option<Arc<CudaContext>>,
}

/// It is forgotten when `work` returns.
struct OnPanic<'a>(&'a Stack);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        // The caller sees the panic instead of this error.
        let _ = self.0.restore();
    }
}

impl Stack {
    /// Pushes `context`, even if it is already current: later code can replace the current context.
    fn push(context: &Arc<CudaContext>) -> Result<Self, Error> {
        let api = api()?;
        required!(api, cuCtxPopCurrent_v2)?;
        register(context);
        let before = current()?;
        // No context is dropped here: the one that is upgraded becomes the owner.
        let alive = |(handle, one): &(usize, Weak<_>)| if *handle == before.addr() { one.upgrade() } else { None };
        let owner = lock(&SEEN).iter().find_map(alive);
        let stack = Self { api, before, owner };
        api.cuCtxPushCurrent_v2((&**context).into())?;
        Ok(stack)
    }

    /// The top of the stack is the pushed context, or the context that replaced it. If the destruction of a context
    /// removed the pushed one, the top is `before` or a context below it.
    fn restore(&self) -> Result<(), Error> {
        if !current()?.is_null() {
            self.api.cuCtxPopCurrent_v2(&mut ptr::null_mut())?;
        }
        if current()? == self.before {
            return Ok(());
        }
        let owner = self.owner.as_ref().map(|context| ContextHandle::from(&**context));
        match owner.or_else(|| self.api.primary(self.before)) {
            Some(before) => Ok(self.api.cuCtxPushCurrent_v2(before)?),
            None => {
                Err(Error::Context(ContextError::NotRestored { before: ContextName::of_handle(self.before, None) }))
            }
        }
    }
}

/// The non-primary contexts that were passed to this crate, by handle.
static SEEN: Mutex<Vec<(usize, Weak<CudaContext>)>> = Mutex::new(Vec::new());

pub(crate) fn register(context: &Arc<CudaContext>) {
    if context.is_primary() {
        return;
    }
    let mut seen = lock(&SEEN);
    if !seen.iter().any(|(_, one)| ptr::eq(one.as_ptr(), &raw const **context)) {
        seen.retain(|(_, one)| one.strong_count() > 0);
        seen.push((context.cu_ctx().addr(), Arc::downgrade(context)));
    }
}
