//! Launches of cudarc functions and raw handles.

use super::{
    call::LaunchCall,
    explain::{foreign, foreign_stream},
    launchable::Launchable,
};
use crate::{
    driver::{
        api::{Api, FunctionHandle, Promise, StreamHandle, api},
        config::Launch,
        context::{bind, bind_function, named},
        error::{ContextError, Error},
        function::{Fitting, Lower, Target, check_contracts, function_name, verified},
        query::allow,
    },
    marshal::{Foreign, KernelArgs, LaunchStream},
};
use core::{any::TypeId, ptr};
use cudarc::driver::{
    CudaFunction,
    sys::{CUcontext, CUfunction},
};
use std::string::String;
#[cfg(feature = "graphs")]
use {
    super::record::{Callee, record},
    crate::driver::{api::LaunchKeeper, function::LoadedFunction},
};

/// The launch makes the function's context current.
impl<A: KernelArgs> Launchable<A> for CudaFunction {
    fn symbol(&self, _: &Promise<'_>) -> String {
        function_name(self.into())
    }

    #[inline]
    fn enqueue(&self, mut launch: Launch<'_>, mut args: A, promise: Promise<'_>) -> Result<(), Error> {
        let api = api()?;
        let function = FunctionHandle::from(self);
        let name = || function_name(function);
        check_contracts(&args, &mut launch, Target::Launch, name)?;
        let stored = verified::context(function.raw(), TypeId::of::<A::Erased>());
        let context = match launch.stream {
            // cudarc has no accessor for the context of a function, and the query through the driver is slow. It is
            // skipped if the stored result has the stream's context. If the handle was reused for a function of a
            // different context and the stream is wrong too, the driver reports the error.
            Some(stream) if stored == Some(stream.context().cu_ctx()) => {
                bind(api, stream.context())?;
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
        let was_verified = stored == Some(context);
        let fitting = Fitting::promised(function, &mut args, &promise);
        launch_raw(api, fitting, context, context, was_verified, launch, Some(self), promise)
    }
}

/// The launch makes the stream's context current. Without `stream = …`, the function must belong to the current context
/// of the caller, or to the context of the arguments if no context is current.
impl<A: KernelArgs> Launchable<A> for CUfunction {
    fn symbol(&self, promise: &Promise<'_>) -> String {
        function_name(promise.function(*self))
    }

    #[inline]
    fn enqueue(&self, mut launch: Launch<'_>, mut args: A, promise: Promise<'_>) -> Result<(), Error> {
        let api = api()?;
        let name = || function_name(promise.function(*self));
        check_contracts(&args, &mut launch, Target::Launch, name)?;
        let context = match launch.stream {
            Some(stream) => {
                bind(api, stream.context())?;
                stream.context().cu_ctx()
            }
            None => api.current()?,
        };
        let own = ptr::null_mut();
        let was_verified = verified::context(*self, TypeId::of::<A::Erased>()) == Some(own);
        let fitting = Fitting::promised(promise.function(*self), &mut args, &promise);
        launch_raw(api, fitting, context, own, was_verified, launch, None, promise)
    }
}

/// Verifies a function against `A`, then launches it. `context` is the current context, or null; `own` is the
/// function's context, or null if it is unknown. `was_verified`: this thread has verified the function for `A` in `own`.
/// `owner` keeps the function loaded for a sequence; without one the caller does.
///
/// It is inlined, because a call takes the `Launch` from memory: 210 instructions for 8 scalars instead of 126.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "inlined")]
fn launch_raw<A: KernelArgs>(
    api: &'static Api,
    fitting: Fitting<FunctionHandle<'_>, A>,
    context: CUcontext,
    own: CUcontext,
    was_verified: bool,
    launch: Launch<'_>,
    owner: Option<&CudaFunction>,
    promise: Promise<'_>,
) -> Result<(), Error> {
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
        return Err(foreign(name(), Fitting::<FunctionHandle<'_>, A>::name_of, Foreign { launch, ..field }));
    }
    if context.is_null() {
        match launch_stream.context() {
            Some(context) => context.bind_to_thread().map_err(Error::context)?,
            None => return Err(Error::Context(ContextError::NoCurrent { kernel: name() })),
        }
    }
    verified::verify_once::<A>(api, function, own, was_verified)?;
    #[cfg(not(feature = "graphs"))]
    let _ = owner;
    #[cfg(feature = "graphs")]
    if let Some(recording) = launch.recording {
        let callee = Raw { function, owner };
        return record(recording, callee, &launch, fitting, promise);
    }
    allow_shared(&launch, function, name)?;
    let call = LaunchCall { api, stream, launch, launch_stream: &launch_stream, function };
    call.with(fitting, promise)
}

/// Allows the function the dynamic shared memory of the launch.
#[inline(always)]
fn allow_shared(launch: &Launch<'_>, function: FunctionHandle<'_>, name: impl Fn() -> String) -> Result<(), Error> {
    if launch.shared > 0 {
        allow(function, launch.shared, &name)?;
    }
    Ok(())
}

/// A raw function, or cudarc's function, in a sequence.
#[cfg(feature = "graphs")]
#[derive(Clone, Copy)]
struct Raw<'f> {
    function: FunctionHandle<'f>,
    owner: Option<&'f CudaFunction>,
}

#[cfg(feature = "graphs")]
impl Callee for Raw<'_> {
    fn name(self) -> String {
        function_name(self.function)
    }

    fn keeper(self) -> LaunchKeeper {
        match self.owner {
            Some(function) => LaunchKeeper::Cudarc(function.clone()),
            None => LaunchKeeper::Caller,
        }
    }

    fn check(self, launch: &Launch<'_>) -> Result<(), Error> {
        allow_shared(launch, self.function, || self.name())
    }

    fn loaded(&self) -> Option<&LoadedFunction> {
        None
    }
}
