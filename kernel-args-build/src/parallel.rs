//! Several tasks at once.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The results of `run` for each of `items`, in their order. At most `jobs` run at once.
pub(crate) fn map<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    run: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some((item, result)) = {
            let place = next.fetch_add(1, Ordering::Relaxed);
            items.get(place).zip(results.get(place))
        } {
            let value = run(item);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs.min(items.len()) {
            scope.spawn(work);
        }
        work();
    });
    // A panic of `run` has passed through `scope`, so all are there.
    results
        .into_iter()
        .filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::map;
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
            let squares = map(jobs, &items, |item| {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(20));
                running.fetch_sub(1, Ordering::SeqCst);
                item * item
            });
            assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49, 64]);
            assert_eq!(most.into_inner(), jobs);
        }
        assert_eq!(map(4, &[] as &[u8], |_| 0), []);
    }
}
