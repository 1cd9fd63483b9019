//! Launches of cudarc's functions and of raw handles.

use super::{
    call::LaunchCall,
    explain::{foreign, foreign_stream},
    launchable::Launchable,
};
use crate::{
    driver::{
        api::api,
        config::Launch,
        context::{bind, bind_function, current, named},
        error::Error,
        function::{function_name, verified},
        query::allow,
    },
    marshal::{Foreign, KernelArgs, LaunchStream},
};
use core::{any::TypeId, ptr};
use cudarc::driver::{
    CudaFunction,
    sys::{CUcontext, CUfunction},
};

/// The function's context is made current.
impl<A: KernelArgs> Launchable<A> for CudaFunction {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        let function = self.cu_function();
        let context = match launch.stream {
            // cudarc does not tell the context of its function, and the driver is asked in a roundabout way. Where the stream's
            // context is the one that was found before, it need not be: only if the handle was given to a function of another
            // context since then, and the stream is wrong as well, is the error the driver's.
            Some(stream)
                if verified::context(function, TypeId::of::<A::Erased>())
                    == Some(stream.context().cu_ctx()) =>
            {
                bind(api()?, stream.context())?;
                stream.context().cu_ctx()
            }
            Some(stream) => {
                let context = bind_function(self)?;
                if stream.context().cu_ctx() != context {
                    // SAFETY: `self` keeps its module loaded.
                    let name = unsafe { function_name(function) };
                    return Err(foreign_stream(name, named(context), stream));
                }
                stream.context().check_err().map_err(Error::context)?;
                context
            }
            None => bind_function(self)?,
        };
        // SAFETY: `self` keeps its module loaded, and its context is current; the caller vouches for the rest.
        unsafe { launch_raw(function, context, context, &launch, args) }
    }
}

/// The context of the stream is made current; without `stream = …` the function's context is the caller's current one,
/// or that of the arguments where there is none.
impl<A: KernelArgs> Launchable<A> for CUfunction {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        let context = match launch.stream {
            Some(stream) => {
                bind(api()?, stream.context())?;
                stream.context().cu_ctx()
            }
            None => current()?,
        };
        // SAFETY: the caller vouches for everything.
        unsafe { launch_raw(*self, context, ptr::null_mut(), &launch, args) }
    }
}

/// Verifies `function` against `A`, then launches it. `own` is the function's context; null where nothing tells.
///
/// # Safety
/// As [`launch`](super::launch()); `function` is loaded; `context` is current, and null where there is none.
unsafe fn launch_raw<A: KernelArgs>(
    function: CUfunction,
    context: CUcontext,
    own: CUcontext,
    launch: &Launch<'_>,
    mut args: A,
) -> Result<(), Error> {
    let api = api()?;
    // SAFETY: the caller vouches that the function is loaded.
    let name = || unsafe { function_name(function) };
    let (launch_stream, stream) = match launch.stream {
        Some(stream) => (LaunchStream::on(stream), stream.cu_stream()),
        None => (LaunchStream::in_context(context), ptr::null_mut()),
    };
    args.check_contexts(&launch_stream);
    if let Some(field) = launch_stream.foreign() {
        let launch = match launch.stream {
            None if !context.is_null() => named(context),
            // That of the stream, or of the first argument.
            _ => field.launch,
        };
        return Err(foreign::<A>(name(), Foreign { launch, ..field }));
    }
    if context.is_null() {
        match launch_stream.context() {
            Some(context) => context.bind_to_thread().map_err(Error::context)?,
            None => return Err(Error::NoContext { kernel: name() }),
        }
    }
    // SAFETY: the caller vouches that the function is loaded; a context is current.
    unsafe { verified::verify_once::<A>(api, function, own) }?;
    if launch.shared > 0 {
        // SAFETY: as above.
        unsafe { allow(function, launch.shared, name) }?;
    }
    let call = LaunchCall {
        api,
        function,
        stream,
        launch,
        launch_stream: &launch_stream,
        attribute_limits: None,
        name,
    };
    // SAFETY: the function was verified as far as the driver can tell; the caller vouches for the rest.
    unsafe { call.with(&mut args) }
}
