//! `Sequence`: its options and its runs.

use super::{
    Recorder, Run, RunCounts, RunMode,
    engine::{Engine, RUN, refused},
    run::{State, other_context_slice},
};
use crate::{
    driver::{
        error::{Error, OutsideOf},
        launch::{check_enclosing, within},
        run::{Entered, NotRecording, SharedRecording},
        watched::is_switched_on,
    },
    lock::lock,
    memory::{ALL_MEMORY, Keep, Kept},
};
use core::ops::Range;
use cudarc::driver::{CudaStream, sys::CUdeviceptr};
use std::sync::{Arc, Mutex};

/// A piece of a program that launches on one stream and is repeated. Each run is one launch of a CUDA graph.
///
/// The closure of [`run`](Self::run) contains plain launches, with the [`Recorder`] as their stream. The first run
/// creates a graph with a node for each launch. A later run compares its launches with the launches of the graph: an
/// equal launch costs a comparison; for other arguments, another grid, block or size of shared memory, the node is
/// updated; for other kernels, launch attributes or another number of launches, another graph is created. A sequence
/// remembers the last 8 graphs ([`remember`](Self::remember)), so a program can alternate between them.
///
/// ```no_run
/// use kernel_args::{Kernel, KernelArgs, launch, sequence::Sequence};
/// # use cudarc::driver::CudaSlice;
/// # #[derive(KernelArgs)]
/// # struct Saxpy<'a> { n: u32, alpha: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let PTX = "";
/// # let ctx = kernel_args::context(0)?;
/// # let stream = ctx.default_stream();
/// # let saxpy = Kernel::<Saxpy>::from_image(&ctx, PTX, "saxpy")?;
/// # let x = stream.clone_htod(&[1.0_f32; 1024])?;
/// # let mut y = stream.alloc_zeros::<f32>(1024)?;
/// let mut step = Sequence::new(&stream);
/// for i in 0..100 {
///     step.run(|s| {
///         let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
///         let alpha = i as f32;
///         // SAFETY: both slices have 1024 elements.
///         unsafe { launch!(saxpy, 4, 256, Saxpy { n: 1024, alpha, x, y: &mut y }, stream = s)? };
///         unsafe { launch!(saxpy, 4, 256, Saxpy { n: 1024, alpha: 0.5, x, y: &mut y }, stream = s)? };
///         Ok(())
///     })?; // one launch of a graph
/// }
/// # Ok(())
/// # }
/// ```
///
/// # What it guarantees
/// - Without [`segments`](Self::segments), nothing is enqueued before the closure returns `Ok`. After an error or a
///   panic in the closure, nothing is enqueued, and the sequence can be used again.
/// - The results are the same as with plain launches in the same order. Other work that the closure enqueues, for
///   example a copy with cudarc, comes before all of them.
/// - Memory that a launch uses through a slice is still allocated when the launch is enqueued: the run holds the slice
///   ([`Recorder::hold`]), and a launch with other slices is an error. For pointers that do not come from a slice
///   ([`DevicePointer`](crate::DevicePointer)), the caller of the launch promises it, until the work of the run has
///   finished.
/// - Kernels stay loaded until no graph needs them.
///
/// A run is enqueued as plain launches if it cannot be a graph: [`mode`](Self::mode) contains the reason.
pub struct Sequence {
    pub(super) shared: Arc<SharedRecording>,
    engine: Arc<Mutex<Engine>>,
    /// The last run.
    last: Arc<State>,
    /// The mode of the runs before it.
    mode: RunMode,
    checks: bool,
}

impl Sequence {
    /// Creates a sequence whose runs are enqueued on `stream`.
    #[must_use]
    pub fn new(stream: &Arc<CudaStream>) -> Self {
        let shared = Arc::new(SharedRecording::new(stream.clone()));
        let engine = Arc::new(Mutex::new(Engine::new()));
        let last = Arc::new(State::new(&shared, &engine));
        Self { shared, engine, last, mode: RunMode::Empty, checks: is_switched_on("KERNEL_ARGS_CHECK_SEQUENCES") }
    }

    /// Sets how many graphs the sequence remembers, at least one. The graph whose last run is the longest ago is
    /// destroyed first.
    #[must_use]
    pub fn remember(self, graphs: usize) -> Self {
        lock(&self.engine).graphs.remember(graphs);
        self
    }

    /// Enqueues a run in segments of this many steps while it is recorded, the first one smaller: the GPU works while
    /// the host records. About 64 steps are a good number: a segment is a graph, whose launch takes the host some
    /// microseconds.
    ///
    /// Each segment is compared with the same segment of earlier runs, so a segment with other kernels creates a graph
    /// for its steps only. The results are the same as without segments, except:
    /// - A run that is given up, for example after an error in the closure, has enqueued its first segments. Memory
    ///   that the other steps would have written is not written.
    /// - If the driver rejects a segment, the segments before it are enqueued, and no segment after it. The end of the
    ///   run returns the error.
    /// - Other work on the stream runs between two segments.
    ///
    /// The stream waits for the earlier uses of a kept value before the first segment after the value was kept. Kept
    /// values are dropped at the end of the run, which also records their use. A run that is given up waits for its
    /// segments instead, if cudarc tracks events.
    ///
    /// Some segments are enqueued only at the end of the run: all that are behind a call of [`Recorder::hold`], because
    /// the program can exchange held slices; with memory of the sequence, while cudarc tracks events on several
    /// streams; while the stream is being captured.
    #[must_use]
    pub fn segments(self, steps: usize) -> Self {
        if let Ok(recording) = self.shared.enter() {
            lock(&self.engine).graphs.set_steps(steps, &recording);
        }
        self
    }

    /// Finds what other code enqueues on the stream while a run records, such as a forgotten call of cudarc: it would
    /// run before all steps of the run. The end of the run is then [`RunError::Elsewhere`], and nothing of the run is
    /// enqueued. The environment variable `KERNEL_ARGS_CHECK_SEQUENCES=1` does the same for all sequences.
    ///
    /// Between two calls of the run, the stream is being captured, so each step takes some microseconds longer, what
    /// was found does not run, and a synchronization of the stream is an error. Frees and allocations of cudarc on the
    /// stream are found too: use [`Run::alloc`] and [`retire`](super::retire). Work in
    /// [`run_now`](crate::graph::run_now) is allowed. Runs have no [`segments`](Self::segments) then.
    ///
    /// It needs a stream that can be captured, and does nothing while cudarc tracks events on several streams, whose
    /// waits and records are calls too.
    ///
    /// [`RunError::Elsewhere`]: crate::error::RunError::Elsewhere
    #[must_use]
    pub fn check(self, is_on: bool) -> Self {
        Self { checks: is_on, ..self }
    }

    /// Records the launches of the closure, and enqueues them if it returns `Ok`.
    ///
    /// In the closure, a launch of this thread without `stream = s` is
    /// [`RunError::Outside`](crate::error::RunError::Outside): it would run now, before the recorded launches.
    /// [`graph::run_now`](crate::graph::run_now) allows it.
    ///
    /// # Errors
    /// The error of the closure (of another type: see [`try_run`](Self::try_run)): then nothing was enqueued.
    /// [`Error::Launch`] if a held slice was replaced, and the errors of a plain launch.
    pub fn run<'env, T>(
        &mut self,
        record: impl for<'s> FnOnce(&'s Recorder<'s, 'env>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.try_run(record)
    }

    /// [`run`](Self::run) for a closure with errors of another type.
    ///
    /// # Errors
    /// See [`run`](Self::run).
    pub fn try_run<'env, T, E: From<Error>>(
        &mut self,
        record: impl for<'s> FnOnce(&'s Recorder<'s, 'env>) -> Result<T, E>,
    ) -> Result<T, E> {
        let run = self.begin()?;
        let scope = run.scope()?;
        let recorder = Recorder::new(&run);
        let value = within(OutsideOf::Run, || record(&recorder))?;
        scope.finish()?;
        Ok(value)
    }

    /// Begins a run whose recorder can be stored: [`Run`]. [`Run::finish`] enqueues its launches.
    ///
    /// Until then, a launch of this thread on the stream of the sequence without the run as its stream is
    /// [`RunError::Outside`](crate::error::RunError::Outside), and [`current`](crate::sequence::current) returns
    /// the run on this thread.
    ///
    /// # Errors
    /// [`Error::Launch`] if a run of this sequence is not over, or this thread records another run on the stream.
    pub fn begin(&mut self) -> Result<Run, Error> {
        let recording = self.idle()?;
        check_enclosing(Some(self.stream()), || RUN.into())?;
        lock(&self.engine).end_run(&recording);
        let leftovers = recording.clear();
        recording.begin();
        drop(recording);
        leftovers.release();
        self.mode = self.mode().clone();
        match Arc::get_mut(&mut self.last) {
            Some(unused) => unused.reset(),
            None => self.last = Arc::new(State::new(&self.shared, &self.engine)),
        }
        let run = Run::begun(&self.last);
        if self.checks && !self.stream().context().is_managing_stream_synchronization() {
            let recording = run.enter(RUN)?;
            recording.is_watched.set(true);
            recording.segment.set(usize::MAX);
            self.last.record.set_checked(&recording);
        }
        Ok(run)
    }

    /// Returns the recording, if no run records.
    pub(super) fn idle(&self) -> Result<Entered<'_>, Error> {
        let recording = self.shared.enter().map_err(refused)?;
        // The recorders of a run that was given up can be dropped where it could not be ended.
        let is_unfinished = recording.is_active.get() && self.last.has_recorders();
        if is_unfinished || !recording.is_only() {
            return Err(refused(NotRecording::Unfinished));
        }
        Ok(recording)
    }

    /// The sequence owns the value: launches of all its later runs can use its memory. Weights of a model, for example
    /// in an `Arc`.
    ///
    /// # Errors
    /// [`Error::Context`] if memory belongs to a different context than the stream; [`Error::Launch`] if a run of this
    /// sequence is not over. The value is dropped.
    pub fn keep(&mut self, value: impl Keep) -> Result<(), Error> {
        let mut kept = Kept::new(value);
        let recording = self.idle()?;
        kept.own(&recording.held, true).map_err(|name| other_context_slice(name, self.stream()))?;
        lock(&self.engine).always.push(kept);
        Ok(())
    }

    /// Launches of all later runs can use this memory.
    ///
    /// # Errors
    /// [`Error::Launch`] if a run of this sequence is not over.
    ///
    /// # Safety
    /// Until the work of the last run that uses it has finished, the memory stays allocated. Nothing uses it at the
    /// same time as a step that writes it, or writes it at the same time as a step that reads it.
    pub unsafe fn assume_held(&mut self, memory: Range<CUdeviceptr>) -> Result<(), Error> {
        self.idle()?.assume(memory, true);
        Ok(())
    }

    /// Launches of all later runs can use all memory: [`assume_held`](Self::assume_held) for a framework that keeps its
    /// memory itself.
    ///
    /// # Errors
    /// [`Error::Launch`] if a run of this sequence is not over.
    ///
    /// # Safety
    /// [`assume_held`](Self::assume_held), for the memory of each slice that a step uses. For example: all slices are
    /// on the stream of the sequence, and no thread drops one, but passes it to [`retire`](crate::sequence::retire) or
    /// [`Run::keep`].
    pub unsafe fn assume_all_held(&mut self) -> Result<(), Error> {
        self.idle()?.assume(ALL_MEMORY, true);
        Ok(())
    }

    /// Lets two launches run at the same time if neither writes memory that both use.
    ///
    /// The slices, textures and surfaces of a launch show which memory it uses: a kernel reads what is behind `&`, and
    /// writes what is behind `&mut`, a surface or a field with `#[kernel_args(shared_write)]`. A view is only its own
    /// part of a slice.
    ///
    /// A launch with a pointer that is not from a slice of the launch waits for all earlier launches, and all later
    /// ones wait for it. So does a launch with a pointer to pointers, a struct that contains pointers, or a field with
    /// `#[kernel_args(opaque)]`. The same holds for a launch with an integer that can be an address: of 64 bits or
    /// more, unless the kernel's types or its code show a number.
    ///
    /// At most 32 launches run at the same time: graphs with more branches are slower. The results are the same as
    /// without it. [`longest_chain`](Self::longest_chain) shows its effect. A run that cannot be a graph is enqueued in
    /// order.
    ///
    /// # Safety
    /// In all later runs, launches that are not ordered with all launches use only the memory of their slices, or
    /// memory that no kernel of the run writes. The compiler sees no other memory: `__device__` variables, texture and
    /// surface objects as numbers, addresses in integers that the kernel declares as integers, pointers that are stored
    /// in slices.
    #[must_use]
    pub unsafe fn parallel(self) -> Self {
        if let Ok(recording) = self.shared.enter() {
            recording.held.notes_uses.set(true);
            recording.is_watched.set(true);
        }
        self
    }

    /// Returns the number of launches, memsets and copies in the longest chain of those that wait for each other, in
    /// the last run that was a graph; 0 before such a run. Without [`parallel`](Self::parallel) it is the number of
    /// all.
    #[must_use]
    pub fn longest_chain(&self) -> usize {
        self.engine.try_lock().map_or(0, |engine| engine.graphs.longest_chain())
    }

    /// Returns how the last run was enqueued.
    #[must_use]
    pub fn mode(&self) -> &RunMode {
        self.last.mode.get().unwrap_or(&self.mode)
    }

    /// Returns how often runs were enqueued in which way, and how many graphs are remembered. It is empty while a run
    /// is being enqueued.
    #[must_use]
    pub fn counts(&self) -> RunCounts {
        self.engine.try_lock().map_or_else(|_| RunCounts::default(), |engine| engine.graphs.counts)
    }

    /// Returns the stream on which runs are enqueued.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.shared.stream
    }
}

debug!(Sequence, this => mode: this.mode());
