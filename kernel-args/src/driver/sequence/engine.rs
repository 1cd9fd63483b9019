//! Enqueues a run: finds the graph with the fewest changes, updates and launches it, or makes a new one.

use super::{RunCounts, RunMode, WhyPlain, plain, plan::Plan};
#[cfg(feature = "observe")]
use crate::driver::observe::{self, Event, SequenceEvent};
use crate::{
    driver::{
        api::{Api, Change, LaunchLog, Steps, api},
        context::bind,
        error::{Error, Near, RunError},
        graph::explain,
        launch::{is_promised, not_kept, not_recording, unrecorded_after},
        run::{ExternalSteps, NotRecording, Recording},
    },
    memory::{Accesses, Kept, enter_held, enter_kept},
};
use core::mem;
use cudarc::driver::{CudaStream, SyncOnDrop};
use std::{string::ToString, sync::Arc, vec::Vec};

/// What a sequence keeps from run to run: its graphs.
pub(super) struct Engine {
    /// The graph of the last run first.
    pub(super) plans: Vec<Plan>,
    pub(super) limit: usize,
    /// What the sequence owns for all its runs.
    pub(super) always: Vec<Kept>,
    /// Storage of the last run, for the next one.
    changes: Vec<Change>,
    found: Vec<Change>,
    guards: Vec<SyncOnDrop<'static>>,
    /// The steps that the first graph had before it was last updated with many changes.
    before_last: Vec<u64>,
    pub(super) counts: RunCounts,
}

impl Engine {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            plans: Vec::new(),
            limit,
            always: Vec::new(),
            changes: Vec::new(),
            found: Vec::new(),
            guards: Vec::new(),
            before_last: Vec::new(),
            counts: RunCounts::default(),
        }
    }

    /// Enqueues what was recorded.
    pub(super) fn enqueue(&mut self, recording: &Recording) -> Result<RunMode, Error> {
        let Self { plans, limit, always, changes, found, guards: storage, before_last, counts } = self;
        let Recording { held, log, without_node, kept, external, .. } = recording;
        let (log, stream) = (&mut *log.borrow_mut(), held.stream());
        if log.len() == 0 {
            counts.empty += 1;
            return Ok(RunMode::Empty);
        }
        #[cfg(feature = "observe")]
        let event = SequenceEvent {
            steps: log.len(),
            stream,
            graphs: plans.len(),
            memory: recording.pool.memory_use(),
            captures: external.borrow().captures(),
        };
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
        let refused = |why| not_recording("the run of a sequence".into(), why);
        let entered = entered.map_err(|held_at| Error::Run(RunError::Replaced { held_at }));
        let entered =
            entered.and_then(|()| are_reported.then_some(()).ok_or_else(|| refused(NotRecording::Unreported)));
        let ready =
            entered.and_then(|()| context.check_err().map_err(|error| Error::cudarc("cuStreamWaitEvent", error)));
        if ready.is_err() {
            guards.drain(..).for_each(mem::forget);
        }
        let outcome = ready.and_then(|()| {
            let uses = held.steps.borrow();
            let accesses = held.notes_uses.get().then(|| uses.accesses());
            let external = external.borrow();
            let run = Enqueue {
                api,
                stream,
                plans,
                limit: *limit,
                changes,
                found,
                accesses,
                external: external.now(),
                before_last,
                is_capturing: api.is_capturing(stream)?,
            };
            let outside_captures = recording.outside_captures.get();
            if let Some(why) = outside_captures.filter(|_| run.is_capturing) {
                return Err(refused(why));
            }
            if run.is_capturing && held.uses_own_memory() && !is_promised(stream)? {
                return Err(not_kept("the run of a sequence".into(), "".into()));
            }
            recording.uploads.borrow_mut().enqueue(stream)?;
            let enqueue = || run.enqueue(log, without_node.get());
            #[cfg(feature = "observe")]
            let mode =
                if observe::is_active() { observe::around(&Event::SequenceRun(&event), enqueue)? } else { enqueue()? };
            #[cfg(not(feature = "observe"))]
            let mode = enqueue()?;
            match outside_captures {
                // A different thread has begun a capture meanwhile.
                Some(why) if api.is_capturing(stream)? => Err(refused(why)),
                _ => Ok(mode),
            }
        });
        // The first graph has the steps of this run.
        log.remember(matches!(outcome, Ok(RunMode::Built | RunMode::Updated(_))));
        held.steps.borrow_mut().remember();
        guards.clear();
        *storage = recycled(guards);
        let mode = outcome?;
        counts.add(&mode);
        (counts.graphs, counts.captures) = (plans.len(), external.borrow().captures());
        match context.check_err() {
            Ok(()) => Ok(mode),
            Err(error) => Err(unrecorded_after(Near::Enqueued, error)),
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
            let first = plans.first_mut();
            first.is_some_and(|plan| plan.is_ordered_for(*accesses))
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
        let Self { stream, plans, external, .. } = self;
        plans[0].keep_external(external);
        match plans[0].launch(log, (&***stream).into()) {
            Ok(()) => Ok(Ok(mode)),
            Err(error) => Err(explain::LAUNCHED.error(error)),
        }
    }
}

/// Up to this number of changes, no other graph is searched for: a comparison with a graph takes as long as some
/// updates.
const FEW: usize = 32;

impl Enqueue<'_> {
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
            plans[0].exchange_steps(before_last);
        }
        let is_updated = plans[0].update(steps, changes).is_ok();
        if !is_updated {
            // The driver does not allow the change, or has changed only some nodes.
            plans.remove(0);
        }
        is_updated
    }
}
