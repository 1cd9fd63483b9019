//! A run from `begin` to `finish`, and the runs that a thread records.

use super::{
    RunMode,
    engine::{Engine, RUN, refused},
};
use crate::{
    driver::{
        api::api,
        config::{AsStream, StreamTarget},
        error::{ContextError, ContextMismatch, Error, RunError},
        graph::{release, start},
        launch::{BegunRun, begin_run, end_run, not_recording, run_on},
        run::{Entered, Leftovers, NotRecording, RunRecord, SharedRecording},
        watched::{enter_closure, leave_closure},
    },
    lock::lock,
    memory::{ALL_MEMORY, ContextName, Keep, Kept, RunMemory, bind_for_drops},
};
use core::{
    any::Any,
    fmt,
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};
use cudarc::driver::{CudaStream, sys::CUdeviceptr};
use std::{
    borrow::Cow,
    sync::{Arc, Mutex, OnceLock},
};

/// A run of a [`Sequence`](super::Sequence) that records, as a value without lifetimes: a framework stores it where its
/// launches are.
///
/// It is the stream of the launches of the run, `stream = &run`. Clones are the same run. If the last clone is dropped
/// before [`finish`](Self::finish), nothing is enqueued, and the run counts as given up. One thread at a time can
/// record in it: a use while another thread is in a call of it is an error.
///
/// ```no_run
/// # use kernel_args::{Error, Kernel, KernelArgs, launch, sequence::{Sequence, current}};
/// # use cudarc::driver::{CudaSlice, CudaStream};
/// # use std::sync::Arc;
/// # #[derive(KernelArgs)]
/// # struct Scale<'a> { n: u32, factor: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
/// fn step(
///     scale: &Kernel<Scale<'_>>,
///     x: &Arc<CudaSlice<f32>>,
///     y: &mut CudaSlice<f32>,
///     stream: &CudaStream,
/// ) -> Result<(), Error> {
///     let run = current(stream).expect("a run that this thread has begun");
///     run.keep(x.clone())?;
///     let args = Scale { n: 1024, factor: 2.0, x, y };
///     // SAFETY: both slices have 1024 elements.
///     unsafe { launch!(scale, 4, 256, args, stream = &run) }
/// }
///
/// # fn example(mut sequence: Sequence, scale: &Kernel<Scale<'_>>, x: &Arc<CudaSlice<f32>>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
/// let run = sequence.begin()?;
/// step(scale, x, y, run.stream())?;
/// run.finish()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a run that is dropped before `finish` is given up: the rest of it is not enqueued"]
pub struct Run(pub(super) Arc<State>);

/// A run, until its last recorder is dropped.
pub(super) struct State {
    pub(super) record: RunRecord,
    engine: Arc<Mutex<Engine>>,
    recorders: AtomicUsize,
    /// How the run was enqueued, if it was.
    pub(super) mode: OnceLock<RunMode>,
}

impl State {
    pub(super) fn new(shared: &Arc<SharedRecording>, engine: &Arc<Mutex<Engine>>) -> Self {
        let (record, engine) = (RunRecord::new(shared.clone(), engine.clone()), engine.clone());
        Self { record, engine, recorders: AtomicUsize::new(0), mode: OnceLock::new() }
    }

    /// For the next run of the same sequence.
    pub(super) fn reset(&mut self) {
        self.record.reset();
        self.mode = OnceLock::new();
    }

    pub(super) fn has_recorders(&self) -> bool {
        self.recorders.load(Ordering::Relaxed) > 0
    }

    fn set_over(&self, recording: &Entered<'_>) {
        self.record.set_over(recording);
        end_run((&raw const *self).cast());
    }

    /// Ends the run, which this thread has entered once.
    fn end(&self, recording: Entered<'_>, enqueues: bool) -> Result<RunMode, Error> {
        /// Also after a panic of a kept value.
        struct Clear<'r> {
            recording: Option<Entered<'r>>,
            engine: &'r Mutex<Engine>,
            stream: &'r Arc<CudaStream>,
            is_enqueued: bool,
        }

        impl Drop for Clear<'_> {
            fn drop(&mut self) {
                if let Some(recording) = self.recording.take() {
                    recording.pool.end_run(self.is_enqueued || recording.is_unsettled.get());
                    lock(self.engine).end_run(&recording);
                    let leftovers = recording.clear();
                    drop(recording);
                    release_behind(self.stream, leftovers);
                }
            }
        }

        // From now on, no code that runs here can record.
        self.set_over(&recording);
        let (engine, stream) = (&*self.engine, self.record.stream());
        let mut clear = Clear { recording: Some(recording), engine, stream, is_enqueued: false };
        let outcome = match &clear.recording {
            Some(recording) if enqueues => lock(engine).finish(recording),
            _ => {
                lock(engine).graphs.counts.given_up += 1;
                Ok(RunMode::Empty)
            }
        };
        clear.is_enqueued = enqueues && outcome.is_ok();
        if enqueues && let Ok(mode) = &outcome {
            // It is set once, by the thread that ends the run.
            let _ = self.mode.set(mode.clone());
        }
        drop(clear);
        outcome
    }

    fn give_up(&self) {
        match self.record.enter() {
            Ok(recording) if recording.is_only() => drop(self.end(recording, false)),
            // A launch of this run is lowered, and its argument drops the last recorder. The next run clears it.
            Ok(recording) => {
                self.set_over(&recording);
                drop(recording.take_retired());
            }
            // It is over; or the next call of `begin` on the thread that is in it clears it.
            Err(_) => {}
        }
    }
}

/// Drops what a run leaves behind. A free on a stream that is being captured would be part of the graph: then it is
/// dropped after the capture.
fn release_behind(stream: &Arc<CudaStream>, leftovers: Leftovers) {
    if leftovers.is_empty() {
        return;
    }
    let is_capturing = api().is_ok_and(|api| api.is_capturing(stream).unwrap_or(false));
    if is_capturing && start().is_ok() {
        release(Some(stream), stream.context(), leftovers.into_owners());
    } else {
        bind_for_drops(stream);
        leftovers.release();
    }
}

impl BegunRun for State {
    fn record(&self) -> &RunRecord {
        &self.record
    }
}

/// The run of a closure: this thread stays in its recording.
pub(super) struct Scope<'r>(&'r State, Option<Entered<'r>>);

impl Scope<'_> {
    pub(super) fn finish(mut self) -> Result<RunMode, Error> {
        let recording = self.1.take().expect("only its end takes it");
        self.0.end(recording, true)
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        if let Some(recording) = self.1.take() {
            // The error or the panic of the closure takes precedence.
            drop(self.0.end(recording, false));
        }
    }
}

impl Run {
    pub(super) fn begun(state: &Arc<State>) -> Self {
        begin_run(Arc::downgrade(&(state.clone() as Arc<dyn BegunRun>)));
        Self::of(state.clone())
    }

    fn of(state: Arc<State>) -> Self {
        if state.recorders.fetch_add(1, Ordering::Relaxed) == 0 {
            // While a recorder exists, each launch finds out whether it belongs to a run.
            enter_closure();
        }
        Self(state)
    }

    pub(super) fn scope(&self) -> Result<Scope<'_>, Error> {
        let recording = self.enter_once()?;
        recording.stay();
        self.0.record.end_call(&recording);
        Ok(Scope(&self.0, Some(recording)))
    }

    /// `what` names what is recorded in errors.
    #[inline(always)]
    pub(super) fn enter(&self, what: &str) -> Result<Entered<'_>, Error> {
        #[cold]
        fn failed(what: &str, why: NotRecording) -> Error {
            not_recording(what.into(), why)
        }

        self.0.record.enter().map_err(|why| failed(what, why))
    }

    /// Returns the recording, if this thread is not in a launch of the run.
    fn enter_once(&self) -> Result<Entered<'_>, Error> {
        let recording = self.enter(RUN)?;
        if recording.is_only() { Ok(recording) } else { Err(refused(NotRecording::Inside)) }
    }

    /// After a step.
    #[inline]
    pub(super) fn end_step(&self, recording: &Entered<'_>) {
        if recording.is_watched.get() {
            self.0.record.end_step(recording);
        }
    }

    /// After a call that adds no step.
    #[inline]
    pub(super) fn end_call(&self, recording: &Entered<'_>) {
        if recording.is_watched.get() {
            self.0.record.end_call(recording);
        }
    }

    /// Enqueues the recorded launches as one launch of a graph, and drops what the run owns. Later uses of clones are
    /// errors.
    ///
    /// It can be called on any thread.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run is over, another thread records in it, or this thread is in a launch of it or in
    /// the closure of [`Sequence::run`](super::Sequence::run); the errors of a plain launch. The run is over also after
    /// an error of the driver.
    ///
    /// # Panics
    /// If the drop of a kept value panics. The run was enqueued, and all other values are dropped.
    pub fn finish(self) -> Result<RunMode, Error> {
        self.0.end(self.enter_once()?, true)
    }

    /// Returns whether it records: it was neither enqueued nor given up.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        !self.0.record.is_over()
    }

    /// Returns the stream on which the run will be enqueued. Other work on it runs before all launches of the run.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.0.record.stream()
    }

    /// The run owns the value until it is enqueued or given up. The value is then dropped, in stream order after the
    /// run's work.
    ///
    /// Launches of this run can use its memory from now on, and views of it. If the value is shared, as in an `Arc`,
    /// user code can go on to use it. The stream waits for earlier writes of other streams to its slices, and records
    /// the run as their use.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run cannot record; [`Error::Context`] if memory belongs to a different context than the
    /// stream. The value is dropped.
    pub fn keep(&self, value: impl Keep) -> Result<(), Error> {
        // After an error it is dropped outside of the recording.
        let mut kept = Kept::new(value);
        let recording = self.enter("a kept value")?;
        kept.own(&recording.held, false).map_err(|name| other_context_slice(name, self.stream()))?;
        recording.kept.borrow_mut().push(kept);
        self.end_call(&recording);
        Ok(())
    }

    /// Launches of this run can use this memory.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run cannot record.
    ///
    /// # Safety
    /// Until the work of the run has finished, the memory stays allocated. Nothing uses it at the same time as a step
    /// that writes it, or writes it at the same time as a step that reads it.
    pub unsafe fn assume_held(&self, memory: Range<CUdeviceptr>) -> Result<(), Error> {
        let recording = self.enter("memory")?;
        recording.assume(memory, false);
        self.end_call(&recording);
        Ok(())
    }

    /// Launches of this run can use all memory: [`assume_held`](Self::assume_held) for a framework that keeps its
    /// memory itself.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run cannot record.
    ///
    /// # Safety
    /// [`assume_held`](Self::assume_held), for the memory of each slice that a step uses. For example: all slices are
    /// on the stream of the run, and no thread drops one until the run is over, but passes it to
    /// [`retire`](crate::sequence::retire) or [`keep`](Self::keep).
    pub unsafe fn assume_all_held(&self) -> Result<(), Error> {
        let recording = self.enter("memory")?;
        recording.assume(ALL_MEMORY, false);
        self.end_call(&recording);
        Ok(())
    }
}

impl Clone for Run {
    fn clone(&self) -> Self {
        Self::of(self.0.clone())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.0.recorders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.give_up();
            leave_closure();
        }
    }
}

impl AsStream for Run {
    #[inline(always)]
    fn target(&self) -> StreamTarget<'_> {
        StreamTarget { stream: self.0.record.stream(), recording: Some(&self.0.record) }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.record.fmt(f)
    }
}

/// Returns the error for memory that the run neither holds nor owns, in a step that is no launch.
#[cold]
pub(super) fn not_held(held: &RunMemory, what: &str, field: Cow<'static, str>) -> Error {
    let replaces = held.take_not_held().and_then(|not_held| not_held.replaces);
    Error::Run(RunError::NotHeld { kernel: what.into(), field, replaces })
}

/// Returns the error for memory of a different context.
pub(super) fn other_context_slice(name: ContextName, stream: &CudaStream) -> Error {
    let contexts = ContextMismatch::new(ContextName::of(stream.context()), name);
    Error::Context(ContextError::OtherContextSlice(Box::new(contexts)))
}

/// Returns the run that this thread records on `stream`: the last one that it has begun there, with
/// [`begin`](super::Sequence::begin) or [`run`](super::Sequence::run).
#[must_use]
pub fn current(stream: &CudaStream) -> Option<Run> {
    let run: Arc<dyn Any + Send + Sync> = run_on(Some(stream))?;
    let state = run.downcast::<State>().ok()?;
    // A run that was given up has no recorder.
    let add = |count: usize| (count > 0).then_some(count + 1);
    state.recorders.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
    Some(Run(state))
}

/// Returns whether this thread records a run on `stream`. Work that it enqueues there now, for example with cudarc,
/// runs before all launches of the run.
#[must_use]
pub fn is_recording(stream: &CudaStream) -> bool {
    run_on(Some(stream)).is_some()
}
