//! What can be launched, with which arguments: kernels and functions of this crate.

use super::{
    function_door::{Checked, FunctionDoor},
    prepare::{Path, prepare},
};
#[cfg(any(feature = "graphs", feature = "observe"))]
use crate::driver::function::ErasedArgs;
use crate::{
    driver::{
        api::Promise,
        config::Launch,
        error::BoxedResult,
        function::{Arguments, Callee, Function},
        module::Kernel,
    },
    marshal::{ArgList, KernelArgs},
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
            with a list of `ArgList` it takes a `Function`, such as `kernel.as_function()`",
    note = "a launcher chooses its grid and its block itself: `launch!(launcher, args, stream = &stream)`"
)]
pub trait Launchable<A: LaunchArgs>: sealed::Sealed {
    /// # Errors
    /// The errors of [`launch`](super::launch()). Its caller has promised what it requires.
    #[doc(hidden)]
    fn enqueue<P: Path>(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> BoxedResult;
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
    fn enqueue<P: Path>(&self, launch: Launch<'_>, mut args: B, promise: Promise<'_>) -> BoxedResult {
        #[cfg(any(feature = "graphs", feature = "observe"))]
        if P::IS_WATCHED {
            return launch_erased(self.as_function(), launch, &mut args, promise);
        }
        let fit = |args, _: &Checked<'_, '_>| Ok(self.fit(args));
        let callee = Callee::Function(self.as_function());
        prepare(FunctionDoor::<_, _, P>::new(callee, launch, &mut args, fit, promise)?)
    }
}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs> Launchable<A> for Function {
    #[inline]
    fn enqueue<P: Path>(&self, launch: Launch<'_>, mut args: A, promise: Promise<'_>) -> BoxedResult {
        #[cfg(any(feature = "graphs", feature = "observe"))]
        if P::IS_WATCHED {
            return launch_erased(self, launch, &mut args, promise);
        }
        launch_function::<_, P>(self, launch, &mut args, promise)
    }
}

/// A list is verified at its first launch with this function, once for each list of types.
impl Launchable<&mut ArgList<'_>> for Function {
    #[inline]
    fn enqueue<P: Path>(&self, launch: Launch<'_>, args: &mut ArgList<'_>, promise: Promise<'_>) -> BoxedResult {
        launch_function::<_, P>(self, launch, args, promise)
    }
}

impl Launchable<ArgList<'_>> for Function {
    #[inline]
    fn enqueue<P: Path>(&self, launch: Launch<'_>, mut args: ArgList<'_>, promise: Promise<'_>) -> BoxedResult {
        launch_function::<_, P>(self, launch, &mut args, promise)
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
) -> BoxedResult {
    launch_function::<_, super::Watched>(function, launch, args, promise)
}

#[inline(always)]
fn launch_function<A: Arguments + ?Sized, P: Path>(
    function: &Function,
    launch: Launch<'_>,
    args: &mut A,
    promise: Promise<'_>,
) -> BoxedResult {
    let fit = |args, _: &Checked<'_, '_>| Ok(function.fit(args)?);
    prepare(FunctionDoor::<_, _, P>::new(Callee::Function(function), launch, args, fit, promise)?)
}

macro_rules! forwarded {
    ($($pointer:ty),*) => {$(
        impl<A: LaunchArgs, T: Launchable<A> + ?Sized> Launchable<A> for $pointer {
            #[inline(always)]
            fn enqueue<P: Path>(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> BoxedResult {
                (**self).enqueue::<P>(launch, args, promise)
            }
        }
    )*};
}

forwarded!(&T, Arc<T>);
