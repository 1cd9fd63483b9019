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
        error::BoxedResult,
        function::{Arguments, Callee, Fitting, StructType, verified},
    },
    marshal::KernelArgs,
};
use core::ptr;
use cudarc::driver::{CudaFunction, sys::CUfunction};

/// The launch makes the function's context current.
impl<A: KernelArgs> Launchable<A> for CudaFunction {
    #[inline]
    fn enqueue<P: Path>(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> BoxedResult {
        launch_raw::<A, P>(Callee::Cudarc(self), launch, args, promise)
    }
}

/// The launch makes the stream's context current. Without `stream = …`, the function must belong to the current context
/// of the caller, or to the context of the arguments if no context is current.
impl<A: KernelArgs> Launchable<A> for CUfunction {
    #[inline]
    fn enqueue<P: Path>(&self, launch: Launch<'_>, args: A, promise: Promise<'_>) -> BoxedResult {
        launch_raw::<A, P>(Callee::Raw(promise.function(*self)), launch, args, promise)
    }
}

/// It is inlined, because a call takes the `Launch` from memory: 210 instructions for 8 scalars instead of 126.
#[inline(always)]
fn launch_raw<A: KernelArgs, P: Path>(
    callee: Callee<'_>,
    launch: Launch<'_>,
    mut args: A,
    promise: Promise<'_>,
) -> BoxedResult {
    #[cfg(any(feature = "graphs", feature = "observe"))]
    if P::CAN_RECORD {
        return launch_erased::<P>(callee, launch, &mut args, promise);
    }
    launch_args::<A, P>(callee, launch, &mut args, StructType::of::<A>(), promise)
}

/// A launch that is not only a call of the driver.
#[cfg(any(feature = "graphs", feature = "observe"))]
#[inline(never)]
fn launch_erased<P: Path>(
    callee: Callee<'_>,
    launch: Launch<'_>,
    args: &mut (dyn ErasedArgs + '_),
    promise: Promise<'_>,
) -> BoxedResult {
    let ty = args.ty();
    launch_args::<_, P>(callee, launch, args, ty, promise)
}

#[inline(always)]
fn launch_args<A: Arguments + ?Sized, P: Path>(
    callee: Callee<'_>,
    launch: Launch<'_>,
    args: &mut A,
    ty: StructType,
    promise: Promise<'_>,
) -> BoxedResult {
    let stored = verified::context(callee.handle().raw(), ty.erased());
    let door = FunctionDoor::<_, _, P>::new(
        callee,
        launch,
        args,
        |args, checked| {
            let own = match callee {
                Callee::Cudarc(_) => checked.context,
                _ => ptr::null_mut(),
            };
            verified::verify_once(checked.api, callee.handle(), ty, own, stored == own)?;
            Ok(Fitting::promised(callee, args, checked.promise))
        },
        promise,
    );
    prepare(door?.verified_in(stored))
}
