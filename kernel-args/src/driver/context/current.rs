//! The current context of a thread.

use super::{
    bind, current,
    keep_alive::{find_owner, register},
    named,
};
use crate::{
    driver::{
        api::{Api, ContextHandle, api, required},
        error::{ContextError, Error},
    },
    marshal::ContextName,
};
use core::{mem, ptr};
use cudarc::driver::{CudaContext, sys::CUcontext};
use std::sync::Arc;

/// The context that is current on this thread, if any. Compare it with [`ContextName::of`].
///
/// This crate needs no current context: a launch makes the context of its kernel current and does not restore the
/// previous one. Calls of the CUDA runtime and its libraries, and raw driver calls, use the current context. If another
/// thread has destroyed the current context, it stays current, and such calls return `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::Driver`] if the driver returns an error.
pub fn current_context() -> Result<Option<ContextName>, Error> {
    let context = current()?;
    Ok((!context.is_null()).then(|| named(context)))
}

/// Runs `work` while `context` is current on this thread; then restores the previous context, even if `work` panics or
/// changes it.
///
/// A closure cannot be misused as a guard object can: forgotten, dropped on a different thread, or dropped in the wrong
/// order. `cuCtxPushCurrent`, `cuCtxPopCurrent`.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let own = kernel_args::context::create_context(0, kernel_args::context::ContextFlags::new())?;
/// let inside = kernel_args::context::with_current(&own, kernel_args::context::current_context)??;
/// assert_eq!(inside, Some(kernel_args::context::ContextName::of(&own)));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Driver`] if the context cannot be made current: `work` has not run. [`Error::Context`] if the previous
/// context cannot be restored: `work` has run.
///
/// # Contexts that are destroyed inside
/// `work` can drop the last owner of a context. cudarc then makes that context current, which replaces the current
/// context, and the driver removes it from the thread's stack when it is destroyed. The previous context is still
/// restored if it is a primary context, a context of [`create_context`](crate::context::create_context), or a context
/// that was passed to this function before: this function keeps such a context alive. For any other context the result
/// is [`Error::Context`]: its state is unknown, and the driver can crash when it makes a destroyed context current.
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
    // An error of `load` takes precedence.
    let loaded = loaded?;
    restored?;
    bind(stack.api, context)?;
    Ok(loaded)
}

/// The context that was current before a context was pushed.
struct Stack {
    api: &'static Api,
    before: CUcontext,
    /// Keeps `before` alive, if its owner is known and it is not a primary context.
    owner: Option<Arc<CudaContext>>,
}

/// Restores the previous context when `work` panics. It is forgotten when `work` returns.
struct OnPanic<'a>(&'a Stack);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        // The caller sees the panic instead of this error.
        let _ = self.0.restore();
    }
}

impl Stack {
    /// Pushes `context`, even if it is already current: later code can replace the current context or remove it from
    /// the stack.
    fn push(context: &Arc<CudaContext>) -> Result<Self, Error> {
        let api = api()?;
        required!(api, cuCtxPopCurrent_v2)?;
        register(context);
        let before = current()?;
        let stack = Self { api, before, owner: find_owner(before) };
        api.cuCtxPushCurrent_v2((&**context).into())?;
        Ok(stack)
    }

    /// Restores the previous context.
    ///
    /// The top of the stack is the pushed context, or the context that replaced it. If the destruction of a context
    /// removed the pushed one, the top is `before` or a context below it.
    fn restore(&self) -> Result<(), Error> {
        self.pop()?;
        if current()? == self.before {
            return Ok(());
        }
        let before = match &self.owner {
            Some(context) => Some(ContextHandle::from(&**context)),
            None => self.api.primary(self.before),
        };
        match before {
            Some(before) => Ok(self.api.cuCtxPushCurrent_v2(before)?),
            None => {
                Err(Error::Context(ContextError::NotRestored { before: ContextName::of_handle(self.before, None) }))
            }
        }
    }

    fn pop(&self) -> Result<(), Error> {
        required!(self.api, cuCtxPopCurrent_v2)?;
        if current()?.is_null() {
            return Ok(());
        }
        Ok(self.api.cuCtxPopCurrent_v2(&mut ptr::null_mut())?)
    }
}
