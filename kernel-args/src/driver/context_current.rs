//! The context that is current on a thread.

use super::{
    api::{Api, api, required},
    context::{current, current_device, named},
    error::Error,
};
use crate::marshal::ContextName;
use core::{mem, ptr};
use cudarc::driver::{CudaContext, sys::CUcontext};
use std::sync::Arc;

/// The context that is current on this thread, if there is one. Compare it with [`ContextName::of`].
///
/// Nothing of this crate needs a current context: a launch makes that of its kernel current, and leaves it so. What depends on it
/// are calls of the CUDA runtime and of its libraries, which work in the current context, and raw driver calls.
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
/// let own = kernel_args::create_context(0, kernel_args::ContextFlags::new())?;
/// let inside = kernel_args::with_current(&own, kernel_args::current_context)??;
/// assert_eq!(inside, Some(kernel_args::ContextName::of(&own)));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Driver`] where the context cannot be made current: `work` has not run. [`Error::NotRestored`] where the context that
/// was current before cannot be made current again, because `work` has destroyed contexts; `work` has run.
///
/// # Contexts that are destroyed inside
/// Do not let the last owner of a context drop it while it is current or was before: driver 580 has crashed in the test of that.
pub fn with_current<T>(context: &Arc<CudaContext>, work: impl FnOnce() -> T) -> Result<T, Error> {
    let api = api()?;
    let before = current()?;
    let stack = Stack {
        api,
        before,
        context,
        pushed: before != context.cu_ctx(),
    };
    if stack.pushed {
        let push = required!(api, cuCtxPushCurrent_v2)?;
        required!(api, cuCtxPopCurrent_v2)?;
        // SAFETY: `context` is alive.
        let status = unsafe { push(context.cu_ctx()) };
        status.check("cuCtxPushCurrent")?;
    }
    let on_panic = OnPanic(&stack);
    let value = work();
    mem::forget(on_panic);
    stack.restore()?;
    Ok(value)
}

/// What was current before.
struct Stack<'a> {
    api: &'static Api,
    before: CUcontext,
    context: &'a CudaContext,
    /// Whether `context` was pushed; it was current already where it was not.
    pushed: bool,
}

/// Restores what was current before when `work` panics. It is forgotten where `work` returns.
struct OnPanic<'a>(&'a Stack<'a>);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        // The panic is what the caller is told.
        let _ = self.0.restore();
    }
}

impl Stack<'_> {
    /// Makes current what was so before.
    ///
    /// cudarc makes a context current by replacing the top of the stack, and the driver pops a context that is destroyed while it
    /// is on top. So what was pushed may be gone, or be another context; and `before` may have been destroyed. A handle that may
    /// be one of a destroyed context is never passed to the driver.
    fn restore(&self) -> Result<(), Error> {
        let now = current()?;
        if !self.pushed {
            if now != self.before {
                // SAFETY: it is `context`, which is alive.
                let status = unsafe { (self.api.cuCtxSetCurrent)(self.context.cu_ctx()) };
                status.check("cuCtxSetCurrent")?;
            }
            return Ok(());
        }
        // The driver says of a destroyed context that it is, as long as it is the current one.
        let is_before = !now.is_null() && now == self.before;
        if is_before && current_device().is_err() {
            return Ok(());
        }
        let popped = self.pop()?;
        if current()? == self.before {
            return Ok(());
        }
        if is_before && popped == self.before {
            // `work` has destroyed what was pushed, and `before` was on top of the stack, alive.
            let push = required!(self.api, cuCtxPushCurrent_v2)?;
            // SAFETY: the driver has just told the device of this context, so that it is alive.
            let status = unsafe { push(popped) };
            return status.check("cuCtxPushCurrent");
        }
        Err(Error::NotRestored {
            before: ContextName::of_handle(self.before, None),
        })
    }

    fn pop(&self) -> Result<CUcontext, Error> {
        let pop = required!(self.api, cuCtxPopCurrent_v2)?;
        let mut popped = ptr::null_mut();
        if current()?.is_null() {
            // `work` has destroyed what was pushed, and nothing was below.
            return Ok(popped);
        }
        // SAFETY: `popped` outlives the call.
        let status = unsafe { pop(&raw mut popped) };
        status.check("cuCtxPopCurrent")?;
        Ok(popped)
    }
}
