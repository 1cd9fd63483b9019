//! What can be launched, with which arguments: kernels and functions of this crate.

use super::{call::LaunchCall, explain};
#[cfg(any(feature = "graphs", feature = "observe"))]
use crate::driver::function::ErasedArgs;
use crate::{
    driver::{
        api::Promise,
        config::Launch,
        context::bind,
        error::Error,
        function::{Arguments, Callee, Fitting, Function},
        module::Kernel,
    },
    marshal::{ArgList, KernelArgs, LaunchStream},
};
use cudarc::driver::{CudaFunction, sys::CUfunction};
use std::sync::Arc;

mod sealed {
    use crate::marshal::{self, KernelArgs};

    pub trait Sealed {}
    pub trait ArgList {
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
    /// `is_watched` is false if the launch is only a call of the driver. The compiler knows it, and removes what such a
    /// launch does not need.
    ///
    /// # Errors
    /// The errors of [`launch`](super::launch()). Its caller has promised what it requires.
    #[doc(hidden)]
    fn enqueue(&self, launch: Launch<'_>, args: A, promise: Promise<'_>, is_watched: bool) -> Result<(), Error>;
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
    fn enqueue(
        &self,
        mut launch: Launch<'_>,
        mut args: B,
        promise: Promise<'_>,
        is_watched: bool,
    ) -> Result<(), Error> {
        #[cfg(any(feature = "graphs", feature = "observe"))]
        if is_watched {
            return launch_erased(self.as_function(), launch, &mut args, promise);
        }
        begin(&args, &mut launch, Callee::Function(self.as_function()), is_watched)?;
        launch_fitting::<Self, _>(self.as_function(), launch, self.fit(&mut args), promise, is_watched)
    }
}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs> Launchable<A> for Function {
    #[inline]
    fn enqueue(&self, launch: Launch<'_>, mut args: A, promise: Promise<'_>, is_watched: bool) -> Result<(), Error> {
        #[cfg(any(feature = "graphs", feature = "observe"))]
        if is_watched {
            return launch_erased(self, launch, &mut args, promise);
        }
        launch_function(self, launch, &mut args, promise, is_watched)
    }
}

/// A list is verified at its first launch with this function, once for each list of types.
impl Launchable<&mut ArgList<'_>> for Function {
    #[inline]
    fn enqueue(
        &self,
        launch: Launch<'_>,
        args: &mut ArgList<'_>,
        promise: Promise<'_>,
        is_watched: bool,
    ) -> Result<(), Error> {
        launch_function(self, launch, args, promise, is_watched)
    }
}

impl Launchable<ArgList<'_>> for Function {
    #[inline]
    fn enqueue(
        &self,
        launch: Launch<'_>,
        mut args: ArgList<'_>,
        promise: Promise<'_>,
        is_watched: bool,
    ) -> Result<(), Error> {
        launch_function(self, launch, &mut args, promise, is_watched)
    }
}

/// A launch that is not only a call of the driver.
#[cfg(any(feature = "graphs", feature = "observe"))]
#[inline(never)]
fn launch_erased(
    function: &Function,
    launch: Launch<'_>,
    args: &mut (dyn ErasedArgs + '_),
    promise: Promise<'_>,
) -> Result<(), Error> {
    launch_function(function, launch, args, promise, true)
}

#[inline(always)]
fn launch_function<A: Arguments + ?Sized>(
    function: &Function,
    mut launch: Launch<'_>,
    args: &mut A,
    promise: Promise<'_>,
    is_watched: bool,
) -> Result<(), Error> {
    begin(args, &mut launch, Callee::Function(function), is_watched)?;
    launch_fitting::<Function, _>(function, launch, function.fit(args)?, promise, is_watched)
}

/// The name of the function, when it is needed. In a generic function, this closure would be a type of its own for each
/// struct.
#[cfg(feature = "graphs")]
fn name(callee: Callee<'_>) -> impl FnOnce() -> std::string::String {
    move || std::format!("kernel `{}`", callee.name())
}

/// Checks that the launch is part of the closure that its thread is in, and the contracts.
#[inline(always)]
pub(super) fn begin<A: Arguments + ?Sized>(
    args: &A,
    launch: &mut Launch<'_>,
    callee: Callee<'_>,
    is_watched: bool,
) -> Result<(), Error> {
    #[cfg(feature = "graphs")]
    if is_watched && launch.recording.is_none() {
        super::enclosing::check(launch.stream, name(callee))?;
        super::check_memory(launch.stream, &|stream| args.report_contexts(stream), args.names(), name(callee))?;
    }
    #[cfg(not(feature = "graphs"))]
    let _ = is_watched;
    args.check_contracts(launch, callee)
}

#[inline(always)]
fn launch_fitting<'l, T: ?Sized, A: Arguments + ?Sized>(
    owner: &'l Function,
    mut launch: Launch<'l>,
    fitting: Fitting<'_, A>,
    promise: Promise<'_>,
    is_watched: bool,
) -> Result<(), Error> {
    let function = owner.loaded();
    let context = &function.context;
    let stream = launch.stream.unwrap_or(&function.default_stream);
    if !Arc::ptr_eq(stream.context(), context) && stream.context() != context {
        return Err(explain::own_stream(function, stream));
    }
    #[cfg(feature = "graphs")]
    if is_watched && let Some(recording) = launch.recording {
        return super::record::record(recording, launch, fitting, promise);
    }
    launch.stream = Some(stream);
    let launch_stream = LaunchStream::on(stream);
    // Arguments of a different context are rejected before any argument is lowered.
    fitting.args().report_contexts(&launch_stream);
    if launch_stream.has_other_context() {
        explain::argument(fitting.callee(), fitting.args().names(), &launch_stream)?;
    }
    function.check(&launch)?;
    bind(function.api, context).map_err(|error| explain::own_unbound(function, error))?;
    let callee = fitting.callee();
    LaunchCall { api: function.api, callee, launch, launch_stream: &launch_stream }
        .run::<T, _>(fitting, promise, is_watched)
}

macro_rules! forwarded {
    ($($pointer:ty),*) => {$(
        impl<A: LaunchArgs, T: Launchable<A> + ?Sized> Launchable<A> for $pointer {
            #[inline(always)]
            fn enqueue(&self, launch: Launch<'_>, args: A, promise: Promise<'_>, is_watched: bool) -> Result<(), Error> {
                (**self).enqueue(launch, args, promise, is_watched)
            }
        }
    )*};
}

forwarded!(&T, Arc<T>);
