//! The capture or the run of a sequence whose closure the thread is in: a launch in the closure must be part of it.

use crate::driver::{
    api::{api, out},
    error::{Error, LaunchError, OutsideOf},
    watched::{enter_closure, leave_closure},
};
use cudarc::driver::CudaStream;
use std::{cell::Cell, string::String};

std::thread_local! {
    /// What the innermost closure does with the launches of this thread.
    static ENCLOSING: Cell<Option<OutsideOf>> = const { Cell::new(None) };
}

pub(crate) fn within<R>(enclosing: OutsideOf, work: impl FnOnce() -> R) -> R {
    with(Some(enclosing), work)
}

/// Runs `work`, whose launches run now, in the closure of a capture or of a sequence.
///
/// In such a closure, a launch that is not part of the graph or the run is [`LaunchError::Outside`]. It would run
/// before the work around it, which is usually a forgotten `stream = …`. For a launch that has to run now, such as the
/// initialisation of memory when it is first used, this function says that it is meant.
///
/// ```no_run
/// # use kernel_args::{Error, Kernel, KernelArgs, graph::{Graph, run_now}, launch};
/// # #[derive(KernelArgs)]
/// # struct Fill { value: f32, n: u32 }
/// # fn example(fill: &Kernel<Fill>, ctx: &std::sync::Arc<kernel_args::external::cudarc::driver::CudaContext>) -> Result<(), Box<dyn std::error::Error>> {
/// let (stream, other) = (ctx.new_stream()?, ctx.new_stream()?);
/// let graph = Graph::capture(&stream, || {
///     // SAFETY: the kernel accesses no memory.
///     run_now(|| unsafe { launch!(fill, 4, 256, Fill { value: 1.0, n: 7 }, stream = &other) })?;
///     // SAFETY: the same.
///     unsafe { launch!(fill, 4, 256, Fill { value: 1.0, n: 7 }, stream = &stream) }
/// })?;
/// # Ok(())
/// # }
/// ```
pub fn run_now<R>(work: impl FnOnce() -> R) -> R {
    with(None, work)
}

fn with<R>(enclosing: Option<OutsideOf>, work: impl FnOnce() -> R) -> R {
    struct Outer(Option<OutsideOf>);

    impl Drop for Outer {
        fn drop(&mut self) {
            ENCLOSING.set(self.0);
            leave_closure();
        }
    }

    enter_closure();
    let _outer = Outer(ENCLOSING.replace(enclosing));
    work()
}

/// Checks that a launch which is not recorded is part of the closure around it: that its stream is being captured. Without a stream, it is
/// on the default stream, which never is. `what` names it in the error.
#[cold]
pub(crate) fn check(stream: Option<&CudaStream>, what: impl FnOnce() -> String) -> Result<(), Error> {
    let Some(of) = ENCLOSING.get() else {
        return Ok(());
    };
    let is_captured = match stream {
        None => false,
        Some(stream) => {
            let api = api()?;
            // If the driver does not report it, the call of the launch returns the driver's error.
            !matches!(out(|status| api.cuStreamIsCapturing(stream.into(), status)), Ok(0))
        }
    };
    if is_captured { Ok(()) } else { Err(Error::Launch(LaunchError::Outside { launched: what(), of })) }
}
