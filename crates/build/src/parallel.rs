//! Runs tasks in parallel.

use crate::jobserver::Jobserver;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The results are in any order. At most `jobs` run at once, limited further by `jobserver`.
pub(crate) fn map<T: Sync, R: Send>(
    jobs: usize,
    jobserver: &Jobserver,
    items: &[T],
    run: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        if let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = run(item);
            results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
        }
    };
    let is_over = || next.load(Ordering::Relaxed) >= items.len();
    thread::scope(|scope| {
        for _ in 1..jobs.min(items.len()) {
            scope.spawn(|| {
                while let Ok(_token) = jobserver.token(is_over) {
                    work();
                }
            });
        }
        while !is_over() {
            work();
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}
