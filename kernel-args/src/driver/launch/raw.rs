//! Launches of functions that belong to cudarc or to other code.

use super::{
    function_door::FunctionDoor,
    launchable::Launchable,
    prepare::{Path, prepare},
};
#[cfg(any(feature = "graphs", feature = "observe"))]
use crate::driver::function::ErasedArgs;
use crate::{
    driver::{
        api::Promise,
        config::Launch,
        error::Error,
        function::{Arguments, Callee, Fitting, verified},
    },
    marshal::KernelArgs,
};
use core::{any::TypeId, ptr};
use cudarc::driver::{
    CudaFunction,
    sys::{CUcontext, CUfunction},
};

/// The launch makes the function's context current.
impl<A: KernelArgs> Launchable<A> for CudaFunction {
    #[inline]
    fn enqueue<P: Path>(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> Result<(), Error> {
        launch_raw::<A, P>(Callee::Cudarc(self), launch, args, promise, |context| context)
    }
}

/// The launch makes the stream's context current. Without `stream = …`, the function must belong to the current context
/// of the caller, or to the context of the arguments if no context is current.
impl<A: KernelArgs> Launchable<A> for CUfunction {
    #[inline]
    fn enqueue<P: Path>(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> Result<(), Error> {
        launch_raw::<A, P>(Callee::Raw(promise.function(*self)), launch, args, promise, |_| ptr::null_mut())
    }
}

/// `own` returns the context of the function, given the context of the launch; null if it is unknown.
///
/// It is inlined, because a call takes the `Launch` from memory: 210 instructions for 8 scalars instead of 126.
#[inline(always)]
fn launch_raw<A: KernelArgs, P: Path>(
    callee: Callee<'_>,
    launch: Launch<'_>,
    mut args: A,
    promise: Promise<'_>,
    own: impl FnOnce(CUcontext) -> CUcontext,
) -> Result<(), Error> {
    #[cfg(any(feature = "graphs", feature = "observe"))]
    if P::IS_WATCHED {
        let args: &mut (dyn ErasedArgs + '_) = &mut args;
        return launch_args::<A, _, P>(callee, launch, args, promise, own);
    }
    launch_args::<A, A, P>(callee, launch, &mut args, promise, own)
}

#[inline(always)]
fn launch_args<A: KernelArgs, B: Arguments + ?Sized, P: Path>(
    callee: Callee<'_>,
    launch: Launch<'_>,
    args: &mut B,
    promise: Promise<'_>,
    own: impl FnOnce(CUcontext) -> CUcontext,
) -> Result<(), Error> {
    let stored = verified::context(callee.handle().raw(), TypeId::of::<A::Erased>());
    let door = FunctionDoor::<_, _, P>::new(
        callee,
        launch,
        args,
        |args, checked| {
            let own = own(checked.context);
            verified::verify_once::<A>(checked.api, callee.handle(), own, stored == own)?;
            Ok(Fitting::promised(callee, args, checked.promise))
        },
        promise,
    );
    prepare(door?.verified_in(stored))
}
