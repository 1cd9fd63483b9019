//! What the thread records or captures: a launch of this thread must be part of it.

use crate::driver::{
    api::api,
    context::bind,
    error::{Error, OutsideOf, RunError},
    run::RunRecord,
    watched::{enter_closure, leave_closure},
};
use core::{any::Any, ptr};
use cudarc::driver::CudaStream;
use std::{
    cell::{Cell, RefCell},
    sync::{Arc, Weak},
};

std::thread_local! {
    static SCOPE: Cell<Scope> = const { Cell::new(Scope::Thread) };
    /// The runs that this thread has begun, in this order. A run that has ended on a different thread is removed later.
    static RUNS: RefCell<Vec<Weak<dyn BegunRun>>> = const { RefCell::new(Vec::new()) };
}

/// Which launches of the thread are allowed.
#[derive(Clone, Copy)]
enum Scope {
    /// All, except on the streams of its runs.
    Thread,
    /// Those that are part of the closure of a capture or a run.
    Closure(OutsideOf),
    /// All.
    Now,
}

/// A run that records until it is over.
pub(crate) trait BegunRun: Any + Send + Sync {
    fn record(&self) -> &RunRecord;
}

pub(crate) fn within<R>(enclosing: OutsideOf, work: impl FnOnce() -> R) -> R {
    with(Scope::Closure(enclosing), work)
}

/// Runs `work`, whose launches run now, while the thread records a run of a sequence or captures a stream.
///
/// A launch that is not part of the graph or the run is then [`RunError::Outside`]: in the closure of a capture or a
/// run, and on the stream of a run that [`begin`](crate::sequence::Sequence::begin) has begun. It would run before the
/// work around it, which is usually a forgotten `stream = …`. For a launch that has to run now, such as the
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
    let is_outermost = !matches!(SCOPE.get(), Scope::Now);
    let runs = || RUNS.try_with(|runs| runs.borrow().iter().filter_map(Weak::upgrade).collect()).unwrap_or_default();
    let runs: Vec<Arc<dyn BegunRun>> = if is_outermost { runs() } else { Vec::new() };
    let allow_calls = |are_allowed| runs.iter().for_each(|run| run.record().allow_calls(are_allowed));
    allow_calls(true);
    let value = with(Scope::Now, work);
    allow_calls(false);
    value
}

fn with<R>(scope: Scope, work: impl FnOnce() -> R) -> R {
    struct Outer(Scope);

    impl Drop for Outer {
        fn drop(&mut self) {
            SCOPE.set(self.0);
            leave_closure();
        }
    }

    enter_closure();
    let _outer = Outer(SCOPE.replace(scope));
    work()
}

/// From now on, the launches of this thread on the stream of the run must be part of it.
pub(crate) fn begin_run(run: Weak<dyn BegunRun>) {
    // At the end of a thread, its runs are no longer known. Then launches run as if there were none.
    let _ = RUNS.try_with(|runs| runs.borrow_mut().push(run));
}

pub(crate) fn end_run(run: *const ()) {
    let _ = RUNS.try_with(|runs| {
        let is_other = |one: &Weak<dyn BegunRun>| one.strong_count() > 0 && !ptr::addr_eq(one.as_ptr(), run);
        runs.borrow_mut().retain(is_other);
    });
}

/// Returns the last run that this thread has begun on a stream, and that records.
pub(crate) fn run_on(stream: Option<&CudaStream>) -> Option<Arc<dyn BegunRun>> {
    let is_on = |run: &Arc<dyn BegunRun>| {
        let record = run.record();
        let own = record.stream();
        let is_same = match stream {
            Some(stream) => {
                own.cu_stream() == stream.cu_stream() && own.context().cu_ctx() == stream.context().cu_ctx()
            }
            None => own.cu_stream().is_null(),
        };
        is_same && !record.is_over()
    };
    RUNS.try_with(|runs| runs.borrow().iter().rev().filter_map(Weak::upgrade).find(is_on)).ok().flatten()
}

/// Checks that a launch which is not recorded is part of what its thread records or captures: that its stream is being
/// captured. Without a stream, it is on the default stream, which never is. `what` names it in the error.
#[cold]
pub(crate) fn check(stream: Option<&CudaStream>, what: impl FnOnce() -> String) -> Result<(), Error> {
    let of = match SCOPE.get() {
        Scope::Closure(of) => of,
        Scope::Thread if run_on(stream).is_some() => OutsideOf::Recording,
        Scope::Thread | Scope::Now => return Ok(()),
    };
    let is_captured = match stream {
        None => false,
        Some(stream) => {
            let api = api()?;
            // Another thread can launch without a context of its own.
            bind(api, stream.context())?;
            // If the driver does not report it, the call of the launch returns the driver's error.
            !matches!(api.is_capturing(stream), Ok(false))
        }
    };
    if is_captured { Ok(()) } else { Err(Error::Run(RunError::Outside { launched: what(), of })) }
}
