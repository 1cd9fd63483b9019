//! Runs tasks in parallel.

use crate::jobserver::Jobserver;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Returns the results of `run` for each of `items`, in their order. At most `jobs` run at once, limited further by
/// `jobserver`.
pub(crate) fn map<T: Sync, R: Send>(
    jobs: usize,
    jobserver: &Jobserver,
    items: &[T],
    run: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        let place = next.fetch_add(1, Ordering::Relaxed);
        if let Some((item, result)) = items.get(place).zip(results.get(place)) {
            let value = run(item);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        }
    };
    let is_over = || next.load(Ordering::Relaxed) >= items.len();
    thread::scope(|scope| {
        for _ in 1..jobs.min(items.len()) {
            scope.spawn(|| {
                while let Some(_token) = jobserver.token(is_over) {
                    work();
                }
            });
        }
        while !is_over() {
            work();
        }
    });
    // If `run` panics, `scope` panics too, so every result exists here.
    results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Jobserver, map};
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
        time::Duration,
    };

    #[test]
    fn results_are_in_the_order_of_the_items_and_as_many_run_as_may() {
        for jobs in [1, 3] {
            let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let items: Vec<u64> = (0..9).collect();
            let squares = map(jobs, &Jobserver::default(), &items, |item| {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(20));
                running.fetch_sub(1, Ordering::SeqCst);
                item * item
            });
            assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49, 64]);
            assert_eq!(most.into_inner(), jobs);
        }
        assert_eq!(map(4, &Jobserver::default(), &[] as &[u8], |_| 0), [0; 0]);
    }
}
