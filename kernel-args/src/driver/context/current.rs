//! The context that is current on a thread.

use super::{
    bind, current,
    keep_alive::{hold, remember},
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

/// The context that is current on this thread, if there is one. Compare it with [`ContextName::of`].
///
/// Nothing of this crate needs a current context: a launch makes that of its kernel current, and leaves it so. What depends on it
/// are calls of the CUDA runtime and of its libraries, which work in the current context, and raw driver calls. Where another thread
/// has destroyed the current context, it stays current, and such calls return `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::Driver`] where it returns an error.
pub fn current_context() -> Result<Option<ContextName>, Error> {
    let context = current()?;
    Ok((!context.is_null()).then(|| named(context)))
}

/// Runs `work` while `context` is current on this thread; then the context that was current before is so again, also where `work`
/// panics, and whatever `work` has made current.
///
/// There is no guard that could be forgotten, dropped on another thread, or dropped in another order than the one in which
/// contexts were made current. `cuCtxPushCurrent`, `cuCtxPopCurrent`.
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
/// [`Error::Driver`] where the context cannot be made current: `work` has not run. [`Error::Context`] where the context that was
/// current before is not so again; `work` has run.
///
/// # Contexts that are destroyed inside
/// The last owner of a context may drop it inside: cudarc then makes it current, in the place of the one that is, and the driver
/// takes it off the thread's stack when it is destroyed. What was current before is current again all the same where it is a primary
/// context, or one of [`create_context`](crate::context::create_context) or that was passed here before; these live as long as this runs. Any
/// other one is [`Error::Context`]: nothing tells whether it is alive, and a driver may crash that is asked to make a destroyed
/// context current.
pub fn with_current<T>(context: &Arc<CudaContext>, work: impl FnOnce() -> T) -> Result<T, Error> {
    let stack = Stack::push(context)?;
    let on_panic = OnPanic(&stack);
    let value = work();
    mem::forget(on_panic);
    stack.restore()?;
    Ok(value)
}

/// Runs `load` in `context`, which stays current; where it returns an error, what was current before is so again.
pub(crate) fn restored_on_error<T>(
    context: &Arc<CudaContext>,
    load: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let stack = Stack::push(context)?;
    let loaded = load();
    let restored = stack.restore();
    // The error of `load` is the one to return.
    let loaded = loaded?;
    restored?;
    bind(stack.api, context)?;
    Ok(loaded)
}

/// What was current before another context was pushed.
struct Stack {
    api: &'static Api,
    before: CUcontext,
    /// What keeps `before` alive, where it is known and not a primary one.
    hold: Option<Arc<CudaContext>>,
}

/// Restores what was current before when `work` panics. It is forgotten where `work` returns.
struct OnPanic<'a>(&'a Stack);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        // The panic is what the caller is told.
        let _ = self.0.restore();
    }
}

impl Stack {
    /// Pushes `context`, also where it is current already: what comes next may make another one current, or take it off.
    fn push(context: &Arc<CudaContext>) -> Result<Self, Error> {
        let api = api()?;
        required!(api, cuCtxPopCurrent_v2)?;
        remember(context);
        let before = current()?;
        let stack = Self {
            api,
            before,
            hold: hold(before),
        };
        api.cuCtxPushCurrent_v2((&**context).into())?;
        Ok(stack)
    }

    /// Makes current what was so before.
    ///
    /// On top is what was pushed, or what has taken its place; or a context was destroyed, and what was pushed is gone with it, so
    /// that `before` is on top, or what was below it.
    fn restore(&self) -> Result<(), Error> {
        self.pop()?;
        if current()? == self.before {
            return Ok(());
        }
        let before = match &self.hold {
            Some(context) => Some(ContextHandle::from(&**context)),
            None => self.api.primary(self.before),
        };
        match before {
            Some(before) => Ok(self.api.cuCtxPushCurrent_v2(before)?),
            None => Err(Error::Context(ContextError::NotRestored {
                before: ContextName::of_handle(self.before, None),
            })),
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
