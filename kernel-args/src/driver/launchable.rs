//! What can be launched.

use super::{
    api::api, config::Launch, error::Error, explain::foreign_stream, function::function_name,
    kernel::Kernel, launch_call::LaunchCall, verify,
};
use crate::marshal::{KernelArgs, LaunchStream};
use cudarc::driver::{CudaFunction, sys::CUfunction};
use std::sync::Arc;

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
            return Err(foreign_stream(&function.name));
        }
        function.check(&launch)?;
        function.context.bind_to_thread().map_err(Error::context)?;
        let call = LaunchCall {
            api: function.api,
            function: function.handle(),
            stream: stream.cu_stream(),
            launch: &launch,
            launch_stream: &LaunchStream::on(stream),
            name: || function.name.clone(),
        };
        // SAFETY: the handle was verified for `A`, whose erased form `B` shares; the caller vouches for the rest.
        unsafe { call.with(&mut args) }
    }
}

impl<A: KernelArgs> Launchable<A> for CudaFunction {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        // SAFETY: `self` keeps its module loaded; the caller vouches for the rest.
        unsafe { launch_raw(self.cu_function(), &launch, args) }
    }
}

/// The caller makes the function's context current, unless `stream = …` is given.
impl<A: KernelArgs> Launchable<A> for CUfunction {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        // SAFETY: the caller vouches for everything.
        unsafe { launch_raw(*self, &launch, args) }
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

/// Verifies `function` against `A`, then launches it.
///
/// # Safety
/// As [`launch`](super::launch()); `function` is loaded.
unsafe fn launch_raw<A: KernelArgs>(
    function: CUfunction,
    launch: &Launch<'_>,
    mut args: A,
) -> Result<(), Error> {
    let api = api()?;
    // SAFETY: the caller vouches that the function is loaded.
    let name = || unsafe { function_name(function) };
    let (launch_stream, stream) = match launch.stream {
        Some(stream) => {
            stream.context().bind_to_thread().map_err(Error::context)?;
            (LaunchStream::on(stream), stream.cu_stream())
        }
        None => (LaunchStream::untracked(), core::ptr::null_mut()),
    };
    // SAFETY: the caller vouches that the function is loaded.
    unsafe { verify::quick::<A>(function) }?;
    let call = LaunchCall {
        api,
        function,
        stream,
        launch,
        launch_stream: &launch_stream,
        name,
    };
    // SAFETY: the function was verified as far as the driver can tell; the caller vouches for the rest.
    unsafe { call.with(&mut args) }
}
