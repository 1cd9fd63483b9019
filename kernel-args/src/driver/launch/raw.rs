//! Launches of cudarc's functions and raw handles.

use super::{
    call::LaunchCall,
    explain::{foreign, foreign_stream},
    launchable::Launchable,
};
use crate::{
    driver::{
        api::{FunctionHandle, Promise, StreamHandle, api},
        config::Launch,
        context::{bind, bind_function, current, named},
        error::{ContextError, Error},
        function::{Fitting, Lower, function_name, verified},
        query::allow,
    },
    marshal::{Foreign, KernelArgs, LaunchStream},
};
use core::{any::TypeId, ptr};
use cudarc::driver::{
    CudaFunction,
    sys::{CUcontext, CUfunction},
};

/// The launch makes the function's context current.
impl<A: KernelArgs> Launchable<A> for CudaFunction {
    #[inline]
    fn launch(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> Result<(), Error> {
        let function = FunctionHandle::from(self);
        let context = match launch.stream {
            // cudarc has no accessor for the context of a function, and the query through the driver is slow. It is
            // skipped if the stored result has the stream's context. If the handle was reused for a function of a
            // different context and the stream is wrong too, the driver reports the error.
            Some(stream)
                if verified::context(function.raw(), TypeId::of::<A::Erased>())
                    == Some(stream.context().cu_ctx()) =>
            {
                bind(api()?, stream.context())?;
                stream.context().cu_ctx()
            }
            Some(stream) => {
                let context = bind_function(self)?;
                if stream.context().cu_ctx() != context {
                    let name = function_name(function);
                    return Err(foreign_stream(name, named(context), stream));
                }
                stream.context().check_err().map_err(Error::context)?;
                context
            }
            None => bind_function(self)?,
        };
        let fitting = Fitting::promised(function, args, &promise);
        launch_raw(fitting, context, context, &launch, promise)
    }
}

/// The launch makes the stream's context current. Without `stream = …`, the function must belong to the current context
/// of the caller, or to the context of the arguments if no context is current.
impl<A: KernelArgs> Launchable<A> for CUfunction {
    #[inline]
    fn launch(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> Result<(), Error> {
        let context = match launch.stream {
            Some(stream) => {
                bind(api()?, stream.context())?;
                stream.context().cu_ctx()
            }
            None => current()?,
        };
        let fitting = Fitting::promised(promise.function(*self), args, &promise);
        launch_raw(fitting, context, ptr::null_mut(), &launch, promise)
    }
}

/// Verifies a function against `A`, then launches it. `context` is the current context, or null; `own` is the
/// function's context, or null if it is unknown.
fn launch_raw<A: KernelArgs>(
    mut fitting: Fitting<FunctionHandle<'_>, A>,
    context: CUcontext,
    own: CUcontext,
    launch: &Launch<'_>,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let api = api()?;
    let function = fitting.callee();
    let name = || function_name(function);
    let (launch_stream, stream) = match launch.stream {
        Some(stream) => (LaunchStream::on(stream), stream.into()),
        None => (LaunchStream::in_context(context), StreamHandle::DEFAULT),
    };
    fitting.check_contexts(&launch_stream);
    if let Some(field) = launch_stream.foreign() {
        let launch = match launch.stream {
            None if !context.is_null() => named(context),
            // The context of the stream or of the first argument.
            _ => field.launch,
        };
        return Err(foreign::<Fitting<FunctionHandle<'_>, A>>(
            name(),
            Foreign { launch, ..field },
        ));
    }
    if context.is_null() {
        match launch_stream.context() {
            Some(context) => context.bind_to_thread().map_err(Error::context)?,
            None => return Err(Error::Context(ContextError::NoCurrent { kernel: name() })),
        }
    }
    verified::verify_once::<A>(api, function, own)?;
    if launch.shared > 0 {
        allow(function, launch.shared, name)?;
    }
    let call = LaunchCall {
        api,
        stream,
        launch,
        launch_stream: &launch_stream,
        attribute_limits: None,
        name,
    };
    call.with(&mut fitting, promise)
}
