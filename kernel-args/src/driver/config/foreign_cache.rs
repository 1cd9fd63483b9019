use core::{
    any::Any,
    mem,
    sync::atomic::{AtomicU64, Ordering},
};
use std::{boxed::Box, sync::Arc, vec::Vec};

/// The steps of foreign work, for equal arguments.
pub(crate) struct ForeignSteps {
    /// What the arguments are compared with. It keeps the handles of the work.
    pub(crate) key: Box<dyn Any + Send + Sync>,
    /// As in a [`LaunchLog`](crate::driver::api::LaunchLog).
    pub(crate) words: Vec<u64>,
    pub(crate) steps: usize,
    /// The number of the last run that had it.
    last: AtomicU64,
}

/// The foreign work of the last runs of a sequence.
#[derive(Default)]
pub(crate) struct ForeignCache {
    known: Vec<Arc<ForeignSteps>>,
    /// Of the previous run, in order. Runs usually repeat it.
    previous: Vec<Arc<ForeignSteps>>,
    now: Vec<Arc<ForeignSteps>>,
    run: u64,
}

impl ForeignCache {
    /// For how many runs work is remembered that no run has.
    const RUNS: u64 = 64;

    pub(crate) fn find(&self, is_equal: impl Fn(&ForeignSteps) -> bool) -> Option<Arc<ForeignSteps>> {
        let expected = self.previous.get(self.now.len()).filter(|steps| is_equal(steps));
        expected.or_else(|| self.known.iter().rev().find(|steps| is_equal(steps))).cloned()
    }

    pub(crate) fn insert(
        &mut self,
        key: Box<dyn Any + Send + Sync>,
        words: Vec<u64>,
        steps: usize,
    ) -> Arc<ForeignSteps> {
        let new = Arc::new(ForeignSteps { key, words, steps, last: AtomicU64::new(self.run) });
        self.known.push(new.clone());
        new
    }

    /// The run has this work next.
    pub(crate) fn push(&mut self, steps: Arc<ForeignSteps>) {
        steps.last.store(self.run, Ordering::Relaxed);
        self.now.push(steps);
    }

    /// The work of this run.
    pub(crate) fn now(&self) -> &[Arc<ForeignSteps>] {
        &self.now
    }

    /// The run is over. Returns what is no longer remembered; its drop can run code of the program.
    pub(crate) fn end_run(&mut self) -> Vec<Arc<ForeignSteps>> {
        mem::swap(&mut self.previous, &mut self.now);
        let mut old: Vec<_> = self.now.drain(..).collect();
        self.run += 1;
        if self.run % Self::RUNS == 0 {
            let is_old = |steps: &mut Arc<ForeignSteps>| steps.last.load(Ordering::Relaxed) + Self::RUNS <= self.run;
            old.extend(self.known.extract_if(.., is_old));
        }
        old
    }
}
