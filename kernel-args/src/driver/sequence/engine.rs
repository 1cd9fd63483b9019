//! Enqueues a run: finds the graph with the fewest changes, updates and launches it, or makes a new one.

use super::{RunCounts, RunMode, WhyPlain, check::Check, plain, plan::Plan};
#[cfg(feature = "observe")]
use crate::driver::observe::{self, Event, SequenceEvent};
use crate::{
    driver::{
        api::{Api, Change, LaunchLog, Steps, api},
        context::bind,
        error::{Error, Near, RunError},
        graph::explain,
        launch::{is_promised, not_kept, not_recording, unrecorded_after},
        run::{ExternalSteps, NotRecording, Recording, Segments},
    },
    lock::lock,
    memory::{Accesses, Kept, StepUses, enter_held, enter_kept},
};
use core::mem;
use cudarc::driver::{CudaContext, CudaStream, SyncOnDrop};
use std::sync::{Arc, Mutex};

/// What a sequence keeps from run to run.
#[derive(Default)]
pub(super) struct Engine {
    pub(super) graphs: Graphs,
    /// What the sequence owns for all its runs.
    pub(super) always: Vec<Kept>,
    /// Storage of the last run, for the next one.
    guards: Vec<SyncOnDrop<'static>>,
    check: Check,
}

/// Its default is not valid: see [`Engine::new`].
#[derive(Default)]
pub(super) struct Graphs {
    /// A run that is not cut has one segment, and an empty one.
    segments: Vec<Segment>,
    /// How many graphs a segment remembers.
    limit: usize,
    /// The number of steps of a segment. The first one has fewer.
    steps: usize,
    /// The run that records.
    run: Progress,
    /// How many segments the last run had that was a graph.
    launched: usize,
    /// Storage of the last run, for the next one.
    changes: Vec<Change>,
    found: Vec<Change>,
    pub(super) counts: RunCounts,
}

/// Steps of a run between two cuts, and their graphs.
#[derive(Default)]
struct Segment {
    /// The graph of the last run first.
    plans: Vec<Plan>,
    /// The steps that the first graph had before it was last updated with many changes.
    before_last: Vec<u64>,
    /// The steps and their uses of memory. The recording has the steps of the segment that records.
    log: LaunchLog,
    uses: StepUses,
    without_node: Option<&'static str>,
    /// Where its external work ends.
    external: usize,
}

#[derive(Default)]
struct Progress {
    /// The number of segments that are complete.
    complete: usize,
    enqueued: usize,
    /// Whether a segment waits for the end of the run: so do the segments behind it.
    waits: bool,
    /// How many of the run's kept values the stream has waited for.
    awaited: usize,
    mode: Option<RunMode>,
    /// The error of a segment, which is the outcome of the run.
    error: Option<Error>,
}

/// How many graphs a segment of a new sequence remembers.
const GRAPHS: usize = 8;

/// The name of a run in errors.
pub(super) const RUN: &str = "the run of a sequence";

#[cold]
pub(super) fn refused(why: NotRecording) -> Error {
    not_recording(RUN.into(), why)
}

impl Segments for Mutex<Engine> {
    fn cut(&self, recording: &Recording) {
        let engine = &mut *lock(self);
        engine.graphs.cut(recording);
        // After a panic of a kept value too, the rest waits for the end of the run.
        if !mem::replace(&mut engine.graphs.run.waits, true) {
            match engine.enqueue_early(recording) {
                Ok(is_enqueued) => engine.graphs.run.waits = !is_enqueued,
                Err(error) => engine.graphs.run.error = Some(error),
            }
        }
    }

    fn watch(&self, recording: &Recording, watches: bool) {
        let (check, stream) = (&mut lock(self).check, recording.held.stream());
        if watches {
            check.watch(stream);
        } else {
            check.pause(stream, recording.log.borrow().len());
        }
    }
}

impl Engine {
    pub(super) fn new() -> Self {
        let segments = vec![Segment::default()];
        Self { graphs: Graphs { segments, limit: GRAPHS, steps: usize::MAX, ..Graphs::default() }, ..Self::default() }
    }

    pub(super) fn end_run(&mut self, recording: &Recording) {
        self.check.pause(recording.held.stream(), 0);
        // A run that is given up reports nothing.
        let _ = self.check.outcome();
        self.graphs.end_run(recording);
    }

    /// Enqueues the complete segments while the run records. `false` if they must wait for its end:
    /// - The program can exchange held slices until then.
    /// - The host waits for other streams before a run with memory of the sequence, as far as cudarc tracks uses.
    /// - The stream is being captured.
    fn enqueue_early(&mut self, recording: &Recording) -> Result<bool, Error> {
        let (held, api) = (&recording.held, api()?);
        let (stream, context) = (held.stream(), held.stream().context());
        bind(api, context)?;
        if held.get(0).is_some() || recording.pool.awaits_streams() || api.is_capturing(stream)? {
            return Ok(false);
        }
        let kept = recording.kept.borrow();
        let always = if recording.is_unsettled.get() { &[][..] } else { &self.always };
        let new = always.iter().chain(&kept[self.graphs.run.awaited..]);
        #[cfg(feature = "textures")]
        let objects = held.take_objects();
        let mut guards = Vec::new();
        let are_reported = enter_kept(new, held, &mut guards);
        // The end of the run records the uses. It owns the values until then.
        guards.drain(..).for_each(mem::forget);
        #[cfg(feature = "textures")]
        guards.extend(objects.iter().map(|(object, writes)| object.enter(stream, *writes)));
        ready(context, are_reported, Ok(()), &mut guards)?;
        self.graphs.run.awaited = kept.len();
        recording.is_unsettled.set(true);
        self.graphs.enqueue(api, recording, false)?;
        drop(guards);
        context.check_err().map_err(|error| unrecorded_after(Near::Enqueued, error))?;
        Ok(true)
    }

    /// Enqueues what was recorded since.
    pub(super) fn finish(&mut self, recording: &Recording) -> Result<RunMode, Error> {
        self.check.outcome()?;
        let Self { graphs, always, guards: storage, .. } = self;
        let Recording { held, kept, external, .. } = recording;
        let stream = held.stream();
        if graphs.run.complete == 0 && recording.log.borrow().len() == 0 {
            graphs.counts.empty += 1;
            return Ok(RunMode::Empty);
        }
        if let Some(error) = graphs.run.error.take() {
            return Err(error);
        }
        graphs.cut(recording);
        let (api, context) = (api()?, stream.context().clone());
        recording.pool.await_streams();
        bind(api, &context)?;
        let kept = kept.borrow();
        #[cfg(feature = "textures")]
        let objects = held.take_objects();
        let mut guards = mem::take(storage);
        let entered = enter_held(held, &mut guards);
        let are_reported = enter_kept(always.iter().chain(&*kept), held, &mut guards);
        #[cfg(feature = "textures")]
        guards.extend(objects.iter().map(|(object, writes)| object.enter(stream, *writes)));
        let entered = entered.map_err(|held_at| Error::Run(RunError::Replaced { held_at }));
        let outcome = ready(&context, are_reported, entered, &mut guards).and_then(|()| {
            let is_capturing = api.is_capturing(stream)?;
            let outside_captures = recording.outside_captures.get();
            let half = (graphs.run.enqueued > 0).then_some(NotRecording::HalfEnqueued);
            if let Some(why) = outside_captures.or(half).filter(|_| is_capturing) {
                return Err(refused(why));
            }
            if is_capturing && held.uses_own_memory() && !is_promised(stream)? {
                return Err(not_kept(RUN.into(), "".into()));
            }
            graphs.enqueue(api, recording, is_capturing)?;
            match outside_captures {
                // A different thread has begun a capture meanwhile.
                Some(why) if api.is_capturing(stream)? => Err(refused(why)),
                _ => Ok(()),
            }
        });
        guards.clear();
        *storage = recycled(guards);
        outcome?;
        let mode = graphs.run.mode.take().unwrap_or(RunMode::Empty);
        let counts = &mut graphs.counts;
        counts.add(&mode);
        let external = external.borrow();
        (counts.captures, counts.moved) = (external.captures, external.moved());
        counts.graphs = graphs.segments.iter().map(|segment| segment.plans.len()).sum();
        if !matches!(mode, RunMode::Plain(_)) {
            let last = graphs.run.complete - 1;
            graphs.launched = last + usize::from(graphs.segments[last].log.len() > 0);
        }
        context.check_err().map_err(|error| unrecorded_after(Near::Enqueued, error))?;
        recording.is_unsettled.set(false);
        Ok(mode)
    }
}

/// Whether what is entered can be used. After an error, its uses are not recorded.
fn ready(
    context: &CudaContext,
    are_reported: bool,
    entered: Result<(), Error>,
    guards: &mut Vec<SyncOnDrop<'_>>,
) -> Result<(), Error> {
    let ready = entered.and_then(|()| {
        if !are_reported {
            return Err(refused(NotRecording::Unreported));
        }
        context.check_err().map_err(|error| Error::cudarc("cuStreamWaitEvent", error))
    });
    if ready.is_err() {
        guards.drain(..).for_each(mem::forget);
    }
    ready
}

impl Graphs {
    pub(super) fn remember(&mut self, graphs: usize) {
        self.limit = graphs.max(1);
        self.segments.iter_mut().for_each(|segment| segment.plans.truncate(self.limit));
    }

    /// Later runs are cut after this many steps.
    pub(super) fn set_steps(&mut self, steps: usize, recording: &Recording) {
        self.steps = steps.max(1);
        recording.segment.set(self.first());
        recording.is_watched.set(true);
    }

    /// The GPU begins with a small segment.
    fn first(&self) -> usize {
        if self.steps == usize::MAX { self.steps } else { self.steps.div_ceil(4) }
    }

    pub(super) fn longest_chain(&self) -> usize {
        let plans = self.segments[..self.launched].iter().filter_map(|segment| segment.plans.first());
        plans.map(|plan| plan.dependencies.longest_chain()).sum()
    }

    /// The steps since the last cut are a segment.
    fn cut(&mut self, recording: &Recording) {
        let at = self.run.complete;
        self.run.complete += 1;
        if self.segments.len() == self.run.complete {
            self.segments.push(Segment::default());
            self.segments[at + 1].log.clear();
        }
        let next = &mut self.segments[at + 1];
        let (log, uses) = (mem::take(&mut next.log), mem::take(&mut next.uses));
        let segment = &mut self.segments[at];
        segment.log = recording.log.replace(log);
        segment.uses = recording.held.steps.replace(uses);
        segment.without_node = recording.without_node.take();
        segment.external = recording.external.borrow().now().len();
        recording.segment.set(self.steps);
    }

    /// The run is over: the recording gets the log of the first segment.
    pub(super) fn end_run(&mut self, recording: &Recording) {
        let complete = mem::take(&mut self.run).complete;
        if complete > 0 {
            self.segments[complete].log = recording.log.take();
            self.segments[complete].uses = recording.held.steps.take();
            for segment in &mut self.segments[..=complete] {
                segment.log.clear();
                segment.uses.clear();
            }
            recording.log.replace(mem::take(&mut self.segments[0].log));
            recording.held.steps.replace(mem::take(&mut self.segments[0].uses));
            recording.segment.set(self.first());
        }
    }

    /// Enqueues the complete segments. After an error, the segments before it are enqueued.
    fn enqueue(&mut self, api: &'static Api, recording: &Recording, is_capturing: bool) -> Result<(), Error> {
        let (held, external) = (&recording.held, recording.external.borrow());
        let stream = held.stream();
        recording.uploads.borrow_mut().enqueue(stream)?;
        #[cfg(feature = "observe")]
        let graphs = self.segments.iter().map(|segment| segment.plans.len()).sum();
        let Self { segments, limit, changes, found, run, counts, .. } = self;
        let mut begin = run.enqueued.checked_sub(1).map_or(0, |before| segments[before].external);
        for segment in &mut segments[run.enqueued..run.complete] {
            let Segment { plans, before_last, log, uses, without_node, external: end } = segment;
            run.enqueued += 1;
            let external_steps = &external.now()[mem::replace(&mut begin, *end)..*end];
            if log.len() == 0 {
                continue;
            }
            #[cfg(feature = "observe")]
            let event = SequenceEvent {
                steps: log.len(),
                stream,
                graphs,
                memory: recording.pool.memory_use(),
                captures: external.captures,
            };
            let accesses = held.notes_uses.get().then(|| uses.accesses());
            let enqueue = Enqueue {
                api,
                stream,
                plans,
                limit: *limit,
                changes,
                found,
                accesses,
                external: external_steps,
                before_last,
                is_capturing,
            };
            let enqueue = || enqueue.enqueue(log, *without_node);
            #[cfg(feature = "observe")]
            let mode =
                if observe::is_active() { observe::around(&Event::SequenceRun(&event), enqueue) } else { enqueue() };
            #[cfg(not(feature = "observe"))]
            let mode = enqueue();
            // The first graph has the steps of this run.
            log.remember(matches!(mode, Ok(RunMode::Built | RunMode::Updated(_))));
            uses.remember();
            let mode = mode?;
            counts.segments += u64::from(!matches!(mode, RunMode::Plain(_)));
            run.mode = Some(mode.after(run.mode.take()));
        }
        Ok(())
    }
}

fn recycled(empty: Vec<SyncOnDrop<'_>>) -> Vec<SyncOnDrop<'static>> {
    empty.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

/// Up to this number of changes, no other graph is searched for: a comparison with a graph takes as long as some
/// updates.
const FEW: usize = 32;

struct Enqueue<'q> {
    api: &'static Api,
    stream: &'q Arc<CudaStream>,
    plans: &'q mut Vec<Plan>,
    limit: usize,
    changes: &'q mut Vec<Change>,
    found: &'q mut Vec<Change>,
    accesses: Option<&'q Accesses>,
    external: &'q [Arc<ExternalSteps>],
    before_last: &'q mut Vec<u64>,
    is_capturing: bool,
}

impl Enqueue<'_> {
    fn enqueue(mut self, log: &mut LaunchLog, without_node: Option<&'static str>) -> Result<RunMode, Error> {
        let why = match without_node {
            Some(option) => WhyPlain::Attribute(option),
            None if self.is_capturing => WhyPlain::Capturing,
            None => match self.as_graph(log)? {
                Ok(mode) => return Ok(mode),
                Err(refused) => WhyPlain::Refused(refused.to_string()),
            },
        };
        plain::enqueue(self.api, self.stream, log.recorded(), self.external)?;
        Ok(RunMode::Plain(why))
    }

    /// Launches the run as a graph. The inner error is the reason why there is no graph; then nothing was enqueued.
    fn as_graph(&mut self, log: &mut LaunchLog) -> Result<Result<RunMode, Error>, Error> {
        let Self { plans, changes, accesses, .. } = self;
        // The first graph has the steps of the previous run.
        let is_first = log.changes().is_some_and(|known| {
            changes.clear();
            changes.extend_from_slice(known);
            plans.first_mut().is_some_and(|plan| plan.is_ordered_for(*accesses))
        });
        let mode = if is_first && changes.is_empty() {
            RunMode::Updated(0)
        } else if self.update(log.recorded(), is_first) {
            RunMode::Updated(self.changes.len())
        } else {
            let Self { api, stream, plans, limit, accesses, external, .. } = self;
            match Plan::new(api, stream, log, *accesses, external) {
                Ok(plan) => {
                    plans.truncate(*limit - 1);
                    plans.insert(0, plan);
                    RunMode::Built
                }
                Err(error) => return Ok(Err(error)),
            }
        };
        let plan = &mut self.plans[0];
        plan.keep_external(self.external);
        explain::LAUNCHED.check(plan.launch(log, (&**self.stream).into()))?;
        Ok(Ok(mode))
    }

    /// Updates the graph that becomes this run with the fewest changes, and moves it to the front; returns whether
    /// there is one. If `is_first`, the first graph has these `changes`; otherwise they are stored there.
    ///
    /// If the run before the last was much closer, as in a program that alternates between two buffers, it is a graph
    /// of its own.
    fn update(&mut self, steps: Steps<'_>, is_first: bool) -> bool {
        let Self { plans, limit, changes, found, accesses, before_last, .. } = self;
        if !is_first || changes.len() > FEW {
            let mut best = is_first.then_some(0);
            for index in usize::from(is_first)..plans.len() {
                let below = if best.is_some() { changes.len() } else { usize::MAX };
                let plan = &mut plans[index];
                if plan.can_become(steps, found, below) && plan.is_ordered_for(*accesses) {
                    best = Some(index);
                    mem::swap(*changes, *found);
                }
            }
            let Some(index) = best else { return false };
            plans[..=index].rotate_right(1);
        }
        if changes.len() > FEW {
            if *limit > 1 && Steps::of(before_last).differences(steps, changes.len() / 2, |_| ()) {
                return false;
            }
            // The update overwrites the steps of the graph.
            mem::swap(&mut plans[0].steps, before_last);
        }
        if plans[0].update(steps, changes).is_ok() {
            return true;
        }
        // The driver does not allow the change, or has changed only some nodes.
        plans.remove(0);
        false
    }
}
