//! Types that can be launched.

use super::{
    call::LaunchCall,
    explain::{foreign, foreign_stream, unbound},
};
use crate::{
    driver::{
        api::Promise,
        config::Launch,
        context::bind as bind_context,
        error::Error,
        function::{Function, LoadedFunction, Lower, Target, check_contracts},
        module::Kernel,
    },
    marshal::{ArgList, ContextName, KernelArgs, LaunchStream},
};
use cudarc::driver::{CudaFunction, CudaStream, sys::CUfunction};
use std::{string::String, sync::Arc};

mod sealed {
    use crate::marshal::{self, KernelArgs};

    pub trait Sealed {}
    pub trait ArgList {
        /// Whether a launch must name its stream.
        #[doc(hidden)]
        const REQUIRES_STREAM: bool = false;
    }

    #[diagnostic::do_not_recommend]
    impl<A: KernelArgs> ArgList for A {
        const REQUIRES_STREAM: bool = A::CONTRACTS.stream;
    }
    impl ArgList for marshal::ArgList<'_> {}
    impl ArgList for &mut marshal::ArgList<'_> {}
}

/// The arguments of a kernel for [`launch!`](crate::launch!): a struct with `#[derive(KernelArgs)]`, a list
/// ([`ArgList`]), or `&mut` of either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold the arguments of a kernel",
    label = "not a `KernelArgs` struct",
    note = "put the arguments into a struct with `#[derive(KernelArgs)]`, one field for each parameter, or into an `ArgList`, which a \
            `Function` takes"
)]
pub trait LaunchArgs: sealed::ArgList {}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs> LaunchArgs for A {}
impl LaunchArgs for ArgList<'_> {}
impl LaunchArgs for &mut ArgList<'_> {}

/// A type that [`launch!`](crate::launch!) can launch with the arguments `A`: a [`Kernel`], a [`Function`], a cudarc
/// [`CudaFunction`], a raw [`CUfunction`], a reference to one, or an [`Arc`] of one. Only a [`Function`] accepts a
/// list, [`ArgList`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be launched with `{A}`",
    label = "no kernel for these arguments",
    note = "`launch!` takes a `Kernel<{A}>` (for any lifetimes), a `Function`, a cudarc `CudaFunction`, or a raw `CUfunction`; \
            with a list of `ArgList` it takes a `Function`, such as `kernel.as_function()`"
)]
pub trait Launchable<A: LaunchArgs>: sealed::Sealed {
    /// The kernel's symbol, for errors.
    #[doc(hidden)]
    fn symbol(&self, promise: &Promise<'_>) -> String;

    /// # Errors
    /// Same as [`launch`](super::launch()). Its caller has promised what it requires.
    #[doc(hidden)]
    fn enqueue(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> Result<(), Error>;
}

impl<A: KernelArgs> sealed::Sealed for Kernel<A> {}
impl sealed::Sealed for Function {}
impl sealed::Sealed for CudaFunction {}
impl sealed::Sealed for CUfunction {}
impl<T: sealed::Sealed + ?Sized> sealed::Sealed for &T {}
impl<T: sealed::Sealed + ?Sized> sealed::Sealed for Arc<T> {}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs, B: KernelArgs<Erased = A::Erased>> Launchable<B> for Kernel<A> {
    fn symbol(&self, _: &Promise<'_>) -> String {
        self.name().into()
    }

    #[inline(always)]
    fn enqueue(&self, mut launch: Launch<'_>, mut args: B, promise: Promise<'_>) -> Result<(), Error> {
        let name = || self.name().into();
        check_contracts(&args, &mut launch, Target::Launch, name)?;
        // Passed by reference, because a move would copy the struct.
        launch_fitting(self.as_function(), &launch, self.fit(&mut args), promise)
    }
}

/// The struct is verified at its first launch with this function.
#[diagnostic::do_not_recommend]
impl<A: KernelArgs> Launchable<A> for Function {
    fn symbol(&self, _: &Promise<'_>) -> String {
        self.name().into()
    }

    #[inline]
    fn enqueue(&self, mut launch: Launch<'_>, mut args: A, promise: Promise<'_>) -> Result<(), Error> {
        let name = || self.name().into();
        check_contracts(&args, &mut launch, Target::Launch, name)?;
        launch_fitting(self, &launch, self.fit(&mut args)?, promise)
    }
}

/// A list is verified at its first launch with this function, once for each list of types.
impl Launchable<&mut ArgList<'_>> for Function {
    fn symbol(&self, _: &Promise<'_>) -> String {
        self.name().into()
    }

    #[inline]
    fn enqueue(&self, launch: Launch<'_>, args: &mut ArgList<'_>, promise: Promise<'_>) -> Result<(), Error> {
        launch_fitting(self, &launch, self.fit_list(args)?, promise)
    }
}

/// Same as with `&mut` of the list.
impl Launchable<ArgList<'_>> for Function {
    fn symbol(&self, _: &Promise<'_>) -> String {
        self.name().into()
    }

    #[inline]
    fn enqueue(&self, launch: Launch<'_>, mut args: ArgList<'_>, promise: Promise<'_>) -> Result<(), Error> {
        Launchable::<&mut ArgList<'_>>::enqueue(self, launch, &mut args, promise)
    }
}

/// The stream of a launch. It must belong to the function's context.
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

/// Launches a verified function.
#[inline(always)]
fn launch_fitting<A: Lower>(
    owner: &Function,
    launch: &Launch<'_>,
    fitting: A,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let function = owner.loaded();
    let name = || function.name.clone();
    let stream = stream(function, launch)?;
    #[cfg(feature = "graphs")]
    if let Some(recording) = launch.recording {
        return super::record::record(recording, owner, launch, fitting, promise);
    }
    let launch_stream = LaunchStream::on(stream);
    // Arguments of a different context are rejected before any argument is lowered.
    fitting.check_contexts(&launch_stream);
    if let Some(field) = launch_stream.foreign() {
        return Err(foreign(name(), A::name_of, field));
    }
    function.check(launch)?;
    bind(function)?;
    let call = LaunchCall {
        api: function.api,
        stream: stream.into(),
        launch: *launch,
        launch_stream: &launch_stream,
        function,
    };
    call.with(fitting, promise)
}

impl<A: LaunchArgs, T: Launchable<A> + ?Sized> Launchable<A> for &T {
    fn symbol(&self, promise: &Promise<'_>) -> String {
        (**self).symbol(promise)
    }

    #[inline(always)]
    fn enqueue(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> Result<(), Error> {
        (**self).enqueue(launch, args, promise)
    }
}

impl<A: LaunchArgs, T: Launchable<A> + ?Sized> Launchable<A> for Arc<T> {
    fn symbol(&self, promise: &Promise<'_>) -> String {
        (**self).symbol(promise)
    }

    #[inline(always)]
    fn enqueue(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> Result<(), Error> {
        (**self).enqueue(launch, args, promise)
    }
}
