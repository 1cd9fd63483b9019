//! What can be launched.

use super::{
    call::LaunchCall,
    explain::{foreign, foreign_argument, foreign_stream, unbound},
};
use crate::{
    driver::{
        config::Launch,
        context::bind as bind_context,
        error::Error,
        function::{Function, LoadedFunction},
        module::Kernel,
    },
    marshal::{ArgList, ContextName, KernelArgs, LaunchStream},
};
use cudarc::driver::{CudaFunction, CudaStream, sys::CUfunction};
use std::{string::String, sync::Arc};

mod sealed {
    use crate::marshal::{self, KernelArgs};

    pub trait Sealed {}
    pub trait ArgList {}

    #[diagnostic::do_not_recommend]
    impl<A: KernelArgs> ArgList for A {}
    impl ArgList for marshal::ArgList<'_> {}
    impl ArgList for &mut marshal::ArgList<'_> {}
}

/// What [`launch!`](crate::launch!) takes as the arguments of a kernel: a struct with `#[derive(KernelArgs)]`, a list of
/// [`ArgList`], or `&mut` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold the arguments of a kernel",
    label = "not a `KernelArgs` struct",
    note = "write `#[derive(KernelArgs)]` on the struct"
)]
pub trait LaunchArgs: sealed::ArgList {}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs> LaunchArgs for A {}
impl LaunchArgs for ArgList<'_> {}
impl LaunchArgs for &mut ArgList<'_> {}

/// What [`launch!`](crate::launch!) can launch with the arguments `A`: a [`Kernel`], a [`Function`], a cudarc [`CudaFunction`],
/// a raw [`CUfunction`], a reference to one, or an [`Arc`] of one. A list, [`ArgList`], is launched by a [`Function`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be launched with `{A}`",
    label = "no kernel for these arguments",
    note = "`launch!` takes a `Kernel<{A}>` (for any lifetimes), a `Function`, a cudarc `CudaFunction`, or a raw `CUfunction`; \
            with a list of `ArgList` it takes a `Function`, such as `kernel.as_function()`"
)]
pub trait Launchable<A: LaunchArgs>: sealed::Sealed {
    /// # Errors
    /// As [`launch`](super::launch()).
    ///
    /// # Safety
    /// As [`launch`](super::launch()).
    #[doc(hidden)]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error>;
}

impl<A: KernelArgs> sealed::Sealed for Kernel<A> {}
impl sealed::Sealed for Function {}
impl sealed::Sealed for CudaFunction {}
impl sealed::Sealed for CUfunction {}
impl<T: sealed::Sealed + ?Sized> sealed::Sealed for &T {}
impl<T: sealed::Sealed + ?Sized> sealed::Sealed for Arc<T> {}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs, B: KernelArgs<Erased = A::Erased>> Launchable<B> for Kernel<A> {
    #[inline(always)]
    unsafe fn launch(&self, launch: Launch<'_>, args: B) -> Result<(), Error> {
        // SAFETY: the function was verified for `A`, whose erased form `B` shares; the caller vouches for the rest.
        unsafe { launch_verified(self.function(), &launch, args) }
    }
}

/// The struct is verified at its first launch with this function.
#[diagnostic::do_not_recommend]
impl<A: KernelArgs> Launchable<A> for Function {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        self.fits::<A>()?;
        // SAFETY: the function was verified for `A`; the caller vouches for the rest.
        unsafe { launch_verified(self.loaded(), &launch, args) }
    }
}

/// A list is verified at the first launch of one of its types with this function.
impl Launchable<&mut ArgList<'_>> for Function {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, args: &mut ArgList<'_>) -> Result<(), Error> {
        self.fits_list(args.types())?;
        let function = self.loaded();
        let name = || function.name.clone();
        let stream = stream(function, &launch)?;
        let launch_stream = LaunchStream::on(stream);
        args.check_contexts(&launch_stream);
        if let Some(index) = launch_stream.foreign() {
            return Err(foreign_argument(name(), index));
        }
        function.check(&launch)?;
        bind(function)?;
        let call = LaunchCall {
            api: function.api,
            function: function.handle(),
            stream: stream.cu_stream(),
            launch: &launch,
            launch_stream: &launch_stream,
            attribute_limits: Some(&function.attribute_limits),
            name,
        };
        // SAFETY: the function was verified for arguments of these types; the caller vouches for the rest.
        unsafe { call.with_list(args) }
    }
}

/// As with `&mut` of it.
impl Launchable<ArgList<'_>> for Function {
    #[inline]
    unsafe fn launch(&self, launch: Launch<'_>, mut args: ArgList<'_>) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        unsafe { Launchable::<&mut ArgList<'_>>::launch(self, launch, &mut args) }
    }
}

/// The stream of a launch, which must be of the function's context.
#[inline(always)]
fn stream<'l>(function: &'l LoadedFunction, launch: &Launch<'l>) -> Result<&'l CudaStream, Error> {
    let stream = launch.stream.unwrap_or(&function.default_stream);
    if Arc::ptr_eq(stream.context(), &function.context) || stream.context() == &function.context {
        Ok(stream)
    } else {
        let kernel = ContextName::of(&function.context);
        Err(foreign_stream(function.name.clone(), kernel, stream))
    }
}

/// Makes the function's context current.
#[inline(always)]
fn bind(function: &LoadedFunction) -> Result<(), Error> {
    let context = &function.context;
    bind_context(function.api, context).map_err(|error| unbound(&function.name, context, error))
}

/// Launches a function that this crate knows.
///
/// # Safety
/// As [`launch`](super::launch()); and the function was verified for `A`.
#[inline(always)]
unsafe fn launch_verified<A: KernelArgs>(
    function: &LoadedFunction,
    launch: &Launch<'_>,
    mut args: A,
) -> Result<(), Error> {
    let stream = stream(function, launch)?;
    let launch_stream = LaunchStream::on(stream);
    check_contexts(&args, &launch_stream, || function.name.clone())?;
    function.check(launch)?;
    bind(function)?;
    let call = LaunchCall {
        api: function.api,
        function: function.handle(),
        stream: stream.cu_stream(),
        launch,
        launch_stream: &launch_stream,
        attribute_limits: Some(&function.attribute_limits),
        name: || function.name.clone(),
    };
    // SAFETY: the caller's promise is the same one.
    unsafe { call.with(&mut args) }
}

impl<A: LaunchArgs, T: Launchable<A> + ?Sized> Launchable<A> for &T {
    #[inline(always)]
    unsafe fn launch(&self, launch: Launch<'_>, args: A) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        unsafe { (**self).launch(launch, args) }
    }
}

impl<A: LaunchArgs, T: Launchable<A> + ?Sized> Launchable<A> for Arc<T> {
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
