//! What can be launched.

use super::{
    api::api,
    config::Launch,
    context::{bind_function, current},
    error::Error,
    explain::{foreign, foreign_stream},
    kernel::Kernel,
    launch_call::LaunchCall,
    loaded_function::function_name,
    shared_memory::allow,
    verify,
};
use crate::marshal::{KernelArgs, LaunchStream};
use core::ptr;
use cudarc::driver::{
    CudaFunction,
    sys::{CUcontext, CUfunction},
};
use std::{string::String, sync::Arc};

mod sealed {
    pub trait Sealed {}
}

/// What [`launch!`](crate::launch!) can launch with the arguments `A`: a [`Kernel`], a cudarc [`CudaFunction`], a raw
/// [`CUfunction`], a reference to one, or an [`Arc`] of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be launched with `{A}`",
    label = "no kernel for these arguments",
    note = "`launch!` takes a `Kernel<{A}>` (for any lifetimes), a cudarc `CudaFunction`, or a raw `CUfunction`"
)]
pub trait Launchable<A: KernelArgs>: sealed::Sealed {
    /// # Errors
    /// As [`launch`](super::launch()).
    ///
    /// # Safety
    /// As [`launch`](super::launch()).
    #[doc(hidden)]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error>;
}

impl<A: KernelArgs> sealed::Sealed for Kernel<A> {}
impl sealed::Sealed for CudaFunction {}
impl sealed::Sealed for CUfunction {}
impl<T: sealed::Sealed + ?Sized> sealed::Sealed for &T {}
impl<T: sealed::Sealed + ?Sized> sealed::Sealed for Arc<T> {}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs, B: KernelArgs<Erased = A::Erased>> Launchable<B> for Kernel<A> {
    #[inline(always)]
    unsafe fn launch(&self, launch: Launch<'_>, mut args: B) -> Result<(), Error> {
        let function = self.function();
        let stream = match launch.stream {
            Some(stream) => stream,
            None => &function.default_stream,
        };
        if !Arc::ptr_eq(stream.context(), &function.context)
            && stream.context() != &function.context
        {
            return Err(foreign_stream(function.name.clone()));
        }
        let launch_stream = LaunchStream::on(stream);
        check_contexts(&args, &launch_stream, || function.name.clone())?;
        function.check(&launch)?;
        function.context.bind_to_thread().map_err(Error::context)?;
        let call = LaunchCall {
            api: function.api,
            function: function.handle(),
            stream: stream.cu_stream(),
            launch: &launch,
            launch_stream: &launch_stream,
            attribute_limits: Some(&function.attribute_limits),
            name: || function.name.clone(),
        };
        // SAFETY: the handle was verified for `A`, whose erased form `B` shares; the caller vouches for the rest.
        unsafe { call.with(&mut args) }
    }
}

/// The function's context is made current.
impl<A: KernelArgs> Launchable<A> for CudaFunction {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        let (function, context) = (self.cu_function(), bind_function(self)?);
        if let Some(stream) = launch.stream {
            if stream.context().cu_ctx() != context {
                // SAFETY: `self` keeps its module loaded.
                return Err(foreign_stream(unsafe { function_name(function) }));
            }
            stream.context().check_err().map_err(Error::context)?;
        }
        // SAFETY: as above, and its context is current; the caller vouches for the rest.
        unsafe { launch_raw(function, context, &launch, args) }
    }
}

/// The context of the stream is made current; without `stream = …` the function's context is the caller's current one,
/// or that of the arguments where there is none.
impl<A: KernelArgs> Launchable<A> for CUfunction {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        let context = match launch.stream {
            Some(stream) => {
                stream.context().bind_to_thread().map_err(Error::context)?;
                stream.context().cu_ctx()
            }
            None => current()?,
        };
        // SAFETY: the caller vouches for everything.
        unsafe { launch_raw(*self, context, &launch, args) }
    }
}

impl<A: KernelArgs, T: Launchable<A> + ?Sized> Launchable<A> for &T {
    #[inline(always)]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        unsafe { (**self).launch(launch, args) }
    }
}

impl<A: KernelArgs, T: Launchable<A> + ?Sized> Launchable<A> for Arc<T> {
    #[inline(always)]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        unsafe { (**self).launch(launch, args) }
    }
}

/// Refuses arguments of another context than the launch, before any of them is lowered.
#[inline(always)]
fn check_contexts<A: KernelArgs>(
    args: &A,
    stream: &LaunchStream<'_>,
    name: impl Fn() -> String,
) -> Result<(), Error> {
    args.check_contexts(stream);
    match stream.foreign() {
        Some(field) => Err(foreign::<A>(name(), field)),
        None => Ok(()),
    }
}

/// Verifies `function` against `A`, then launches it.
///
/// # Safety
/// As [`launch`](super::launch()); `function` is loaded; `context` is current, and null where there is none.
unsafe fn launch_raw<A: KernelArgs>(
    function: CUfunction,
    context: CUcontext,
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
    check_contexts(&args, &launch_stream, name)?;
    if context.is_null() {
        match launch_stream.context() {
            Some(context) => context.bind_to_thread().map_err(Error::context)?,
            None => return Err(Error::NoContext { kernel: name() }),
        }
    }
    // SAFETY: the caller vouches that the function is loaded; a context is current.
    unsafe { verify::quick::<A>(function) }?;
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
