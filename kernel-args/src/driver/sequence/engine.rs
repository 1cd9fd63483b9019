use super::{RunMode, WhyPlain, plain, plan::Plan};
#[cfg(feature = "observe")]
use crate::driver::observe::{self, Event, SequenceEvent};
use crate::{
    driver::{
        api::{Api, Change, LaunchLog, Steps, api},
        config::{ForeignSteps, Recording},
        context::bind,
        error::{Error, LaunchError},
        graph::explain,
        launch::unrecorded,
    },
    interop::{Keep, Slices, enter_kept},
    marshal::Accesses,
};
use core::mem;
use cudarc::driver::{CudaStream, SyncOnDrop, sys::CUstreamCaptureStatus};
use std::{boxed::Box, string::ToString, sync::Arc, vec::Vec};

/// What a sequence keeps from run to run: its graphs.
pub(super) struct Engine {
    /// The graph of the last run first.
    pub(super) plans: Vec<Plan>,
    pub(super) limit: usize,
    /// What the sequence owns for all its runs.
    pub(super) always: Vec<Box<dyn Keep>>,
    /// Storage of the last run, for the next one.
    changes: Vec<Change>,
    guards: Vec<SyncOnDrop<'static>>,
}

impl Engine {
    pub(super) fn new(limit: usize) -> Self {
        Self { plans: Vec::new(), limit, always: Vec::new(), changes: Vec::new(), guards: Vec::new() }
    }

    /// Enqueues what was recorded.
    pub(super) fn enqueue(&mut self, recording: &Recording) -> Result<RunMode, Error> {
        let Self { plans, limit, always, changes, guards: storage } = self;
        let Recording { held, log, without_node, kept, foreign, .. } = recording;
        let (log, stream) = (&mut *log.borrow_mut(), held.stream());
        if log.len() == 0 {
            return Ok(RunMode::Empty);
        }
        #[cfg(feature = "observe")]
        let steps = log.len();
        let (api, context) = (api()?, stream.context().clone());
        bind(api, &context)?;
        let kept = kept.borrow();
        #[cfg(feature = "textures")]
        let objects = held.take_objects();
        let mut guards = mem::take(storage);
        let entered = Slices::new(held).enter(stream, &mut guards);
        enter_kept(always.iter().chain(&*kept).map(|value| &**value), held, &mut guards);
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
            let accesses = held.notes_uses.get().then(|| uses.accesses());
            let foreign = foreign.borrow();
            let run = Enqueue { api, stream, plans, limit: *limit, changes, accesses, foreign: foreign.now() };
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
        let mode = outcome?;
        match context.check_err() {
            Ok(()) => Ok(mode),
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
    foreign: &'q [Arc<ForeignSteps>],
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
        let Self { api, stream, plans, limit, changes, accesses, foreign } = self;
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
        plans[0].keep_foreign(foreign);
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
