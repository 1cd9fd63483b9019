use super::{Recorder, RunMode, WhyPlain, plain, plan::Plan};
#[cfg(feature = "observe")]
use crate::driver::observe::{self, Event, SequenceEvent};
use crate::{
    driver::{
        api::{Api, Change, LaunchLog, Steps, api},
        config::RunRecord,
        context::bind,
        error::{Error, LaunchError, OutsideOf},
        graph::explain,
        launch::{check_enclosing, unrecorded, within},
    },
    interop::Slices,
    marshal::Accesses,
};
use core::{fmt, mem};
use cudarc::driver::{CudaStream, SyncOnDrop, sys::CUstreamCaptureStatus};
use std::{string::ToString, sync::Arc, vec::Vec};

const GRAPHS: usize = 8;

/// A piece of a program that launches on one stream and is repeated. Each run is one launch of a CUDA graph.
///
/// The closure of [`run`](Self::run) contains plain launches, with the [`Recorder`] as their stream. The first run creates a graph
/// with a node for each launch. A later run compares its launches with the launches of the graph: an equal launch costs a
/// comparison; for other arguments, another grid, block or size of shared memory, the node is updated; for other kernels, launch
/// attributes or another number of launches, another graph is created. A sequence remembers the last 8 graphs
/// ([`remember`](Self::remember)), so a program can alternate between them.
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
/// - Nothing is enqueued before the closure returns `Ok`. After an error or a panic in the closure, nothing is enqueued, and the
///   sequence can be used again.
/// - The results are the same as with plain launches in the same order. Other work that the closure enqueues, for example a copy with
///   cudarc, comes before all of them.
/// - Memory that a launch uses through a slice is still allocated when the launch is enqueued: the run holds the slice
///   ([`Recorder::hold`]), and a launch with other slices is an error. For pointers that do not come from a slice
///   ([`DevicePointer`](crate::DevicePointer)), the caller of the launch promises it, until the work of the run has finished.
/// - Kernels stay loaded until no graph needs them.
///
/// A run is enqueued as plain launches if it cannot be a graph: [`mode`](Self::mode) contains the reason.
pub struct Sequence {
    recording: RunRecord,
    /// The graph of the last run first.
    plans: Vec<Plan>,
    limit: usize,
    mode: RunMode,
    /// Storage of the last run, for the next one.
    changes: Vec<Change>,
    guards: Vec<SyncOnDrop<'static>>,
}

impl Sequence {
    /// A sequence whose runs are enqueued on `stream`.
    #[must_use]
    pub fn new(stream: &Arc<CudaStream>) -> Self {
        Self {
            recording: RunRecord::new(stream.clone()),
            plans: Vec::new(),
            limit: GRAPHS,
            mode: RunMode::Empty,
            changes: Vec::new(),
            guards: Vec::new(),
        }
    }

    /// Sets how many graphs the sequence remembers, at least one. The graph whose last run is the longest ago is destroyed first.
    #[must_use]
    pub fn remember(mut self, graphs: usize) -> Self {
        self.limit = graphs.max(1);
        self.plans.truncate(self.limit);
        self
    }

    /// Records the launches of the closure, and enqueues them if it returns `Ok`.
    ///
    /// In the closure, a launch of this thread without `stream = s` is [`LaunchError::Outside`]: it would run now, before
    /// the recorded launches. [`graph::run_now`](crate::graph::run_now) allows it.
    ///
    /// # Errors
    /// The error of the closure: then nothing was enqueued. [`Error::Launch`] if a held slice was replaced, and the errors of a plain
    /// launch.
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
        /// Forgets the launches and the slices of the run, also after a panic.
        struct Clear<'q>(&'q mut Sequence);

        impl Drop for Clear<'_> {
            fn drop(&mut self) {
                self.0.recording.clear();
            }
        }

        check_enclosing(Some(self.stream()), || "the run of a sequence".into())?;
        let run = Clear(self);
        let recorder = Recorder::new(&run.0.recording);
        let value = within(OutsideOf::Run, || record(&recorder))?;
        run.0.enqueue()?;
        Ok(value)
    }

    /// Lets two launches run at the same time if neither writes memory that both use.
    ///
    /// The slices, textures and surfaces of a launch show which memory it uses: a kernel reads what is behind `&`, and writes what is
    /// behind `&mut`, a surface or a field with `#[kernel_args(shared_write)]`. A view is only its own part of a slice.
    ///
    /// A launch with a pointer that is not from a slice of the launch waits for all earlier launches, and all later ones wait for it. So
    /// does a launch with a pointer to pointers, a struct that contains pointers, or a field with `#[kernel_args(opaque)]`.
    ///
    /// At most 32 launches run at the same time: graphs with more branches are slower. The results are the same as without it.
    /// [`longest_chain`](Self::longest_chain) shows its effect. A run that cannot be a graph is
    /// enqueued in order.
    ///
    /// # Safety
    /// In all later runs, launches that are not ordered with all launches use only the memory of their slices, or memory that no kernel of the run
    /// writes. The compiler sees no other memory: `__device__` variables, texture and surface objects as numbers, addresses in integers,
    /// pointers that are stored in slices.
    #[must_use]
    pub unsafe fn parallel(mut self) -> Self {
        self.recording.held.notes_uses = true;
        self
    }

    /// The number of launches, memsets and copies in the longest chain of those that wait for each other, in the last run that was a
    /// graph; 0 before such a run. Without [`parallel`](Self::parallel) it is the number of all.
    #[must_use]
    pub fn longest_chain(&self) -> usize {
        self.plans.first().map_or(0, Plan::longest_chain)
    }

    /// How the last run was enqueued.
    #[must_use]
    pub fn mode(&self) -> &RunMode {
        &self.mode
    }

    /// The stream on which runs are enqueued.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.recording.stream()
    }

    fn enqueue(&mut self) -> Result<(), Error> {
        let Self { recording, plans, limit, mode, changes, guards: storage } = self;
        let RunRecord { held, log, without_node } = recording;
        let (log, stream) = (log.get_mut(), held.stream());
        if log.len() == 0 {
            *mode = RunMode::Empty;
            return Ok(());
        }
        #[cfg(feature = "observe")]
        let steps = log.len();
        let (api, context) = (api()?, stream.context().clone());
        bind(api, &context)?;
        #[cfg(feature = "textures")]
        let objects = held.take_objects();
        let mut guards = mem::take(storage);
        let entered = Slices::new(held).enter(stream, &mut guards);
        #[cfg(feature = "textures")]
        guards.extend(objects.iter().map(|(object, writes)| object.enter(stream, *writes)));
        let entered = entered.map_err(|held_at| Error::Launch(LaunchError::Replaced { held_at }));
        let ready =
            entered.and_then(|()| context.check_err().map_err(|error| Error::cudarc("cuStreamWaitEvent", error)));
        if ready.is_err() {
            guards.drain(..).for_each(mem::forget);
        }
        let outcome = ready.and_then(|()| {
            let uses = held.steps.borrow();
            let run = Enqueue {
                api,
                stream,
                plans,
                limit: *limit,
                changes,
                accesses: held.notes_uses.then(|| uses.accesses()),
            };
            let enqueue = || run.enqueue(log, without_node.get());
            #[cfg(feature = "observe")]
            if observe::is_active() {
                let event = SequenceEvent { steps, stream };
                observe::around(&Event::SequenceRun(&event), enqueue)
            } else {
                enqueue()
            }
            #[cfg(not(feature = "observe"))]
            enqueue()
        });
        // The first graph has the steps of this run.
        log.remember(matches!(outcome, Ok(RunMode::Built | RunMode::Updated(_))));
        held.steps.borrow_mut().remember();
        guards.clear();
        *storage = recycled(guards);
        *mode = outcome?;
        match context.check_err() {
            Ok(()) => Ok(()),
            Err(error) => Err(unrecorded("(a sequence)".to_string(), error)),
        }
    }
}

fn recycled(empty: Vec<SyncOnDrop<'_>>) -> Vec<SyncOnDrop<'static>> {
    empty.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

struct Enqueue<'q> {
    api: &'static Api,
    stream: &'q Arc<CudaStream>,
    plans: &'q mut Vec<Plan>,
    limit: usize,
    changes: &'q mut Vec<Change>,
    accesses: Option<&'q Accesses>,
}

impl Enqueue<'_> {
    fn enqueue(mut self, log: &mut LaunchLog, without_node: Option<&'static str>) -> Result<RunMode, Error> {
        let why = match without_node {
            Some(option) => WhyPlain::Attribute(option),
            None if self.is_capturing()? => WhyPlain::Capturing,
            None => match self.as_graph(log)? {
                Ok(mode) => return Ok(mode),
                Err(refused) => WhyPlain::Refused(refused.to_string()),
            },
        };
        plain::enqueue(self.api, self.stream, log.recorded())?;
        Ok(RunMode::Plain(why))
    }

    fn is_capturing(&self) -> Result<bool, Error> {
        let status = self.stream.capture_status();
        let status = status.map_err(|error| Error::cudarc("cuStreamIsCapturing", error))?;
        Ok(status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
    }

    /// Launches the run as a graph. The inner error is the reason why there is no graph; then nothing was enqueued.
    fn as_graph(&mut self, log: &mut LaunchLog) -> Result<Result<RunMode, Error>, Error> {
        let Self { api, stream, plans, limit, changes, accesses } = self;
        // The first graph has the steps of the previous run.
        let is_first = log.changes().is_some_and(|known| {
            changes.clear();
            changes.extend_from_slice(known);
            let first = plans.first_mut();
            first.is_some_and(|plan| plan.is_ordered_for(*accesses))
        });
        let mode = if is_first && changes.is_empty() {
            RunMode::Updated(0)
        } else if updated(plans, log.recorded(), *accesses, is_first, changes) {
            RunMode::Updated(changes.len())
        } else {
            match Plan::new(api, stream, log, *accesses) {
                Ok(plan) => {
                    plans.truncate(*limit - 1);
                    plans.insert(0, plan);
                    RunMode::Built
                }
                Err(error) => return Ok(Err(error)),
            }
        };
        match plans[0].launch(log, (&***stream).into()) {
            Ok(()) => Ok(Ok(mode)),
            Err(error) => Err(explain::LAUNCHED.error(error)),
        }
    }
}

/// Updates the first graph that can have these steps, and moves it to the front; returns whether there is one. If `is_first`, it is the
/// first graph, and `changes` are its changes; otherwise they are stored there.
fn updated(
    plans: &mut Vec<Plan>,
    steps: Steps<'_>,
    accesses: Option<&Accesses>,
    is_first: bool,
    changes: &mut Vec<Change>,
) -> bool {
    if !is_first {
        let mut all = plans.iter_mut();
        let can_become = |plan: &mut Plan| plan.can_become(steps, changes) && plan.is_ordered_for(accesses);
        let Some(index) = all.position(can_become) else {
            return false;
        };
        plans[..=index].rotate_right(1);
    }
    let is_updated = plans[0].update(steps, changes).is_ok();
    if !is_updated {
        // The driver does not allow the change, or has changed only some nodes.
        plans.remove(0);
    }
    is_updated
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequence").field("graphs", &self.plans.len()).field("mode", &self.mode).finish_non_exhaustive()
    }
}
