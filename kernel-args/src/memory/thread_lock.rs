//! The lock of a pool and of the runs that allocate from it.

use core::{
    cell::Cell,
    marker::PhantomData,
    ptr,
    sync::atomic::{AtomicUsize, Ordering},
};
use std::thread;

/// A lock of one thread at a time, which this thread can take again. It costs one atomic operation.
#[derive(Default)]
pub(crate) struct ThreadLock {
    /// The thread that has it, as an address that belongs to it, and [`BRIEF`]; 0 without a thread.
    thread: AtomicUsize,
    /// How often this thread has taken it.
    depth: Cell<usize>,
}

/// The thread has the lock for a short time, in which it runs no user code. A thread that needs the lock then
/// waits.
const BRIEF: usize = 1;

// SAFETY: only the thread that has the lock uses `depth`: `take` stores the thread in `thread` if that is 0, and the
// last drop of an `LockGuard` of this thread, which is not `Send`, stores 0. The acquire and release order the threads.
unsafe impl Sync for ThreadLock {}

pub(crate) struct LockGuard<'l>(&'l ThreadLock, PhantomData<*const ()>);

impl ThreadLock {
    /// `None` if a different thread has it, and not briefly.
    #[inline(always)]
    pub(crate) fn enter(&self) -> Option<LockGuard<'_>> {
        self.take(0)
    }

    /// [`enter`](Self::enter) for a short time, without user code.
    #[inline(always)]
    pub(crate) fn enter_briefly(&self) -> Option<LockGuard<'_>> {
        self.take(BRIEF)
    }

    /// [`enter_briefly`](Self::enter_briefly) when a different thread has left it.
    #[inline]
    pub(crate) fn wait(&self) -> LockGuard<'_> {
        loop {
            if let Some(entered) = self.enter_briefly() {
                return entered;
            }
            thread::yield_now();
        }
    }

    #[inline(always)]
    fn take(&self, mark: usize) -> Option<LockGuard<'_>> {
        thread_local! {
            /// Its address has no `BRIEF`.
            static THREAD: u64 = const { 0 };
        }
        let this = THREAD.with(|own| ptr::from_ref(own).addr());
        if self.thread.load(Ordering::Relaxed) != this
            && self.thread.compare_exchange(0, this | mark, Ordering::Acquire, Ordering::Relaxed).is_err()
            && !self.compete(this, mark)
        {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        Some(LockGuard(self, PhantomData))
    }

    #[cold]
    fn compete(&self, this: usize, mark: usize) -> bool {
        loop {
            match self.thread.compare_exchange(0, this | mark, Ordering::Acquire, Ordering::Relaxed) {
                Err(holder) if holder == this | BRIEF => return true,
                Err(holder) if holder & BRIEF == 0 => return false,
                Err(_) => thread::yield_now(),
                Ok(_) => return true,
            }
        }
    }
}

impl LockGuard<'_> {
    #[inline(always)]
    pub(crate) fn is_of(&self, lock: &ThreadLock) -> bool {
        ptr::eq(self.0, lock)
    }

    pub(crate) fn depth(&self) -> usize {
        self.0.depth.get()
    }
}

impl Drop for LockGuard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        let depth = self.0.depth.get() - 1;
        self.0.depth.set(depth);
        if depth == 0 {
            self.0.thread.store(0, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ThreadLock;
    use core::cell::Cell;
    use std::thread;

    struct Counter {
        lock: ThreadLock,
        value: Cell<usize>,
    }

    // SAFETY: the test uses the value only while it has the lock.
    unsafe impl Sync for Counter {}

    impl Counter {
        fn add(&self) {
            let entered = self.lock.wait();
            assert!(entered.depth() == 1 && entered.is_of(&self.lock) && !entered.is_of(&ThreadLock::default()));
            let again = self.lock.enter();
            assert!(again.is_some() && entered.depth() == 2);
            self.value.set(self.value.get() + 1);
        }
    }

    /// Miri finds a race if the lock does not order the threads.
    #[test]
    fn one_thread_at_a_time_has_the_lock() {
        let (threads, times) = (4, if cfg!(miri) { 20 } else { 2000 });
        let counter = Counter { lock: ThreadLock::default(), value: Cell::new(0) };
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| (0..times).for_each(|_| counter.add()));
            }
        });
        let entered = counter.lock.enter();
        assert_eq!(counter.value.get(), threads * times);
        let elsewhere = |can_enter: bool| {
            let enter = || [counter.lock.enter().is_some(), counter.lock.enter_briefly().is_some()];
            thread::scope(|scope| assert_eq!(scope.spawn(enter).join().unwrap(), [can_enter; 2]));
        };
        elsewhere(false);
        drop(entered);
        elsewhere(true);
    }
}
