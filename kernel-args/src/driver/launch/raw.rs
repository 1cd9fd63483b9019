//! Launches of functions that belong to cudarc or to other code.

use super::{
    call::LaunchCall,
    explain::{other_context, other_context_stream},
    launchable::{Launchable, begin},
};
use crate::{
    driver::{
        api::{Api, Promise, api},
        config::Launch,
        context::{bind, bind_function, named},
        error::{ContextError, Error},
        function::{Arguments, Callee, Fitting, verified},
    },
    marshal::{KernelArgs, LaunchStream},
    memory::OtherContext,
};
use core::{any::TypeId, ptr};
use cudarc::driver::{
    CudaFunction,
    sys::{CUcontext, CUfunction},
};

/// The launch makes the function's context current.
impl<A: KernelArgs> Launchable<A> for CudaFunction {
    #[inline]
    fn enqueue(
        &self,
        mut launch: Launch<'_>,
        mut args: A,
        promise: Promise<'_>,
        is_watched: bool,
    ) -> Result<(), Error> {
        let (api, callee) = (api()?, Callee::Cudarc(self));
        begin(&args, &mut launch, callee, is_watched)?;
        let stored = verified::context(self.cu_function(), TypeId::of::<A::Erased>());
        let context = match launch.stream {
            // The query of a function's context is slow. If the handle was reused for a function of a different context
            // and the stream is wrong too, the driver reports the error.
            Some(stream) if stored == Some(stream.context().cu_ctx()) => {
                bind(api, stream.context())?;
                stream.context().cu_ctx()
            }
            Some(stream) => {
                let context = bind_function(self)?;
                if stream.context().cu_ctx() != context {
                    return Err(other_context_stream(callee.name(), named(context), stream));
                }
                stream.context().check_err().map_err(Error::context)?;
                context
            }
            None => bind_function(self)?,
        };
        let fitting = Fitting::promised(callee, &mut args, &promise);
        launch_raw::<Self, _>(api, fitting, context, (context, stored), launch, promise, is_watched)
    }
}

/// The launch makes the stream's context current. Without `stream = …`, the function must belong to the current context
/// of the caller, or to the context of the arguments if no context is current.
impl<A: KernelArgs> Launchable<A> for CUfunction {
    #[inline]
    fn enqueue(
        &self,
        mut launch: Launch<'_>,
        mut args: A,
        promise: Promise<'_>,
        is_watched: bool,
    ) -> Result<(), Error> {
        let (api, callee) = (api()?, Callee::Raw(promise.function(*self)));
        begin(&args, &mut launch, callee, is_watched)?;
        let context = match launch.stream {
            Some(stream) => {
                bind(api, stream.context())?;
                stream.context().cu_ctx()
            }
            None => api.current()?,
        };
        let stored = verified::context(*self, TypeId::of::<A::Erased>());
        let fitting = Fitting::promised(callee, &mut args, &promise);
        launch_raw::<Self, _>(api, fitting, context, (ptr::null_mut(), stored), launch, promise, is_watched)
    }
}

/// `context` is the current context, or null; `own` is the function's context, or null if it is unknown. `stored` is
/// the context in which this thread has verified the function for `A`.
///
/// It is inlined, because a call takes the `Launch` from memory: 210 instructions for 8 scalars instead of 126.
#[inline(always)]
fn launch_raw<T: ?Sized, A: KernelArgs>(
    api: &'static Api,
    fitting: Fitting<'_, A>,
    context: CUcontext,
    (own, stored): (CUcontext, Option<CUcontext>),
    launch: Launch<'_>,
    promise: Promise<'_>,
    is_watched: bool,
) -> Result<(), Error> {
    let callee = fitting.callee();
    let launch_stream = match launch.stream {
        Some(stream) => LaunchStream::on(stream),
        None => LaunchStream::in_context(context),
    };
    fitting.args().report_contexts(&launch_stream);
    if let Some(field) = launch_stream.other_context() {
        let launch = match launch.stream {
            None if !context.is_null() => named(context),
            // The context of the stream or of the first argument.
            _ => field.launch,
        };
        return Err(other_context(callee.name(), fitting.args().names(), OtherContext { launch, ..field }));
    }
    if context.is_null() {
        match launch_stream.context() {
            Some(context) => context.bind_to_thread().map_err(Error::context)?,
            None => return Err(Error::Context(ContextError::NoCurrent { kernel: callee.name() })),
        }
    }
    verified::verify_once::<A>(api, callee.handle(), own, stored == Some(own))?;
    #[cfg(feature = "graphs")]
    if is_watched && let Some(recording) = launch.recording {
        return super::record::record(recording, launch, fitting.erased(), promise);
    }
    callee.check(&launch)?;
    let call = LaunchCall { api, callee, launch, launch_stream: &launch_stream };
    #[cfg(any(feature = "graphs", feature = "observe"))]
    if is_watched {
        return call.run::<T, _>(fitting.erased(), promise, is_watched);
    }
    call.run::<T, _>(fitting, promise, is_watched)
}
