//! External work that was captured: what equal work of a later run reuses.

use super::moved_work::MovedWork;
use crate::{
    driver::api::{Graph, Steps},
    lock::lock,
    memory::Access,
};
use core::{
    any::Any,
    mem,
    sync::atomic::{AtomicU64, Ordering},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// The steps of external work, for equal arguments.
pub(crate) struct ExternalSteps {
    /// What the arguments are compared with. It keeps the handles of the work.
    pub(crate) key: Box<dyn Any + Send + Sync>,
    /// As in a [`LaunchLog`](crate::driver::api::LaunchLog).
    pub(crate) words: Vec<u64>,
    pub(crate) steps: usize,
    /// The captured graph, if its nodes could not be read. Its step has this number.
    pub(crate) child: Option<(u64, Mutex<Graph>)>,
    /// The number of the last run that had it.
    last: AtomicU64,
}

/// The external work of the last runs of a sequence.
#[derive(Default)]
pub(crate) struct ExternalCache {
    /// By a hash of the arguments: a run whose work grows has many.
    known: HashMap<u64, Vec<Arc<ExternalSteps>>>,
    /// The work of this run in its order, then the rest of the previous run's. Runs usually repeat it.
    order: Vec<Arc<ExternalSteps>>,
    /// How much of it this run has.
    now: usize,
    /// What this run has replaced in `order`.
    replaced: Vec<Arc<ExternalSteps>>,
    run: u64,
    /// How often work was captured.
    pub(crate) captures: u64,
    moved: MovedWork,
    /// How many children have a number.
    children: u64,
}

pub(crate) enum Captured {
    /// Recorded steps as words, and their number.
    Steps(Vec<u64>, usize),
    /// Such words and their number, for which nothing was captured.
    Moved(Vec<u64>, usize),
    Child(Graph),
}

impl ExternalCache {
    /// For how many runs work is remembered that no run has.
    const RUNS: u64 = 64;

    /// Returns whether the next work in the order is equal.
    #[inline]
    pub(crate) fn repeats(&self, is_equal: impl Fn(&ExternalSteps) -> bool) -> bool {
        self.order.get(self.now).is_some_and(|steps| is_equal(steps))
    }

    /// Reuses equal work of an earlier run as the next step, if any.
    pub(crate) fn recall(&mut self, hash: impl Fn() -> u64, is_equal: impl Fn(&ExternalSteps) -> bool) -> bool {
        let known = self.known.get(&hash());
        let Some(steps) = known.and_then(|known| known.iter().rev().find(|steps| is_equal(steps))).cloned() else {
            return false;
        };
        self.set_next(steps);
        true
    }

    pub(crate) fn insert(&mut self, hash: u64, key: Box<dyn Any + Send + Sync>, captured: Captured) {
        let last = AtomicU64::new(self.run);
        self.captures += u64::from(!matches!(captured, Captured::Moved(..)));
        let new = Arc::new(match captured {
            Captured::Steps(words, steps) | Captured::Moved(words, steps) => {
                ExternalSteps { key, words, steps, child: None, last }
            }
            Captured::Child(graph) => {
                self.children += 1;
                let (number, graph) = (self.children, Mutex::new(graph));
                ExternalSteps { key, words: Steps::child(number), steps: 1, child: Some((number, graph)), last }
            }
        });
        self.known.entry(hash).or_default().push(new.clone());
        self.set_next(new);
    }

    fn set_next(&mut self, steps: Arc<ExternalSteps>) {
        match self.order.get_mut(self.now) {
            Some(old) => self.replaced.push(mem::replace(old, steps)),
            None => self.order.push(steps),
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self) -> &ExternalSteps {
        let steps = &self.order[self.now];
        steps.last.store(self.run, Ordering::Relaxed);
        self.now += 1;
        steps
    }

    /// Returns how often only the addresses of work were other ones, and nothing was captured.
    pub(crate) fn moved(&self) -> u64 {
        self.moved.predicted()
    }

    /// Returns the steps of work with other addresses than captured work, if they are known.
    pub(crate) fn predict(&mut self, accesses: &[Access], is_like: impl Fn(&dyn Any) -> bool) -> Option<Captured> {
        self.moved.predict(accesses, is_like).map(|(words, steps)| Captured::Moved(words, steps))
    }

    /// Compares captured work with what is known of work with other addresses. `key` returns its key.
    pub(crate) fn learn(
        &mut self,
        accesses: &[Access],
        captured: &Captured,
        is_like: impl Fn(&dyn Any) -> bool,
        key: impl FnOnce() -> Box<dyn Any + Send + Sync>,
    ) {
        if let Captured::Steps(words, steps) = captured {
            let last = AtomicU64::new(self.run);
            let new = || ExternalSteps { key: key(), words: words.clone(), steps: *steps, child: None, last };
            self.moved.learn(accesses, words, is_like, new);
        }
    }

    pub(crate) fn now(&self) -> &[Arc<ExternalSteps>] {
        &self.order[..self.now]
    }

    /// The run is over. Returns what is no longer remembered; its drop can run user code.
    pub(crate) fn end_run(&mut self) -> Vec<Arc<ExternalSteps>> {
        let mut old = mem::take(&mut self.replaced);
        old.extend(self.order.drain(mem::take(&mut self.now)..));
        self.run += 1;
        if self.run.is_multiple_of(Self::RUNS) {
            let is_old = |steps: &ExternalSteps| steps.last.load(Ordering::Relaxed) + Self::RUNS <= self.run;
            self.known.retain(|_, steps| {
                old.extend(steps.extract_if(.., |steps| is_old(steps)));
                !steps.is_empty()
            });
            old.extend(self.moved.forget(is_old));
        }
        old
    }
}

impl ExternalSteps {
    /// Calls `with` with the captured graph of this number.
    pub(crate) fn with_child<R>(all: &[Arc<Self>], number: u64, with: impl FnOnce(&Graph) -> R) -> Option<R> {
        let graph = all.iter().find_map(|steps| steps.child.as_ref().filter(|(own, _)| *own == number));
        graph.map(|(_, graph)| with(&lock(graph)))
    }
}
