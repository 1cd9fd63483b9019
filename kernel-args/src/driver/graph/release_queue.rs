//! The states of the thread that drops what graphs release.
//!
//! ```text
//!             an object is in the queue             an object is in the queue
//!                    ┌─────────┐                           ┌────────┐
//!                    ▼         │                           ▼        │
//!  ┌────────────┐  take  ┌───────────┐      ┌────────────────┐  forget it
//!  │   waits    ├───────►│   drops   │      │ process ends,  ├────────┘
//!  │            │◄───────┤ one object│      │     waits      │
//!  └─────┬──────┘  done, └─────┬─────┘      └────────────────┘
//!        │         or panic    │ done, or panic   ▲      ▲
//!        │                     └── process_ends ──┘      │
//!        └──────────────── process_ends ─────────────────┘
//! ```
//!
//! The thread never ends. While it drops an object, `calls_cuda` is set, and the lock is not held. It takes the objects
//! in the order in which they are sent, so `done >= n` means that the first `n` objects are dropped or forgotten.
//!
//! The program `tests/model` compiles this file with the locks of `loom` and runs all interleavings, so it imports
//! nothing from this crate except the locks.

use super::sync::{Condvar, Mutex, MutexGuard};
use core::{mem, panic::AssertUnwindSafe, time::Duration};
use std::{collections::VecDeque, panic::catch_unwind, sync::PoisonError, time::Instant};

pub(super) struct ReleaseQueue<T> {
    pub(super) state: Mutex<State<T>>,
    pub(super) changed: Condvar,
}

pub(super) struct State<T> {
    queue: VecDeque<T>,
    sent: u64,
    done: u64,
    calls_cuda: bool,
    process_ends: bool,
}

impl<T> State<T> {
    pub(super) const EMPTY: Self =
        Self { queue: VecDeque::new(), sent: 0, done: 0, calls_cuda: false, process_ends: false };
}

impl<T> ReleaseQueue<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // No code that can panic runs while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed<'g>(&self, state: MutexGuard<'g, State<T>>) -> MutexGuard<'g, State<T>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn send(&self, object: T) {
        let mut state = self.lock();
        state.queue.push_back(object);
        state.sent += 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until the objects that were sent before are done. Returns at once on the thread itself, in an object.
    pub(super) fn wait(&self, on_the_thread: bool) {
        if on_the_thread {
            return;
        }
        let mut state = self.lock();
        let sent = state.sent;
        while state.done < sent {
            state = self.changed(state);
        }
    }

    /// Allows no more drops, and waits until the thread is not in one, but not longer than `longest`.
    pub(super) fn end(&self, on_the_thread: bool, longest: Duration) {
        if on_the_thread {
            return;
        }
        let start = Instant::now();
        let mut state = self.lock();
        state.process_ends = true;
        while state.calls_cuda {
            let left = longest.saturating_sub(start.elapsed());
            if left.is_zero() {
                return;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns whether the process ends. Then the thread drops nothing more, not even the rest of an object.
    pub(super) fn process_ends(&self) -> bool {
        self.lock().process_ends
    }

    /// Waits for an object and passes it to `release`. If the process ends, forgets the object instead. Returns even if
    /// `release` panics.
    pub(super) fn take(&self, release: impl FnOnce(T)) {
        let mut state = self.lock();
        let object = loop {
            match state.queue.pop_front() {
                Some(object) => break object,
                None => state = self.changed(state),
            }
        };
        if state.process_ends {
            drop(state);
            // The system frees its memory.
            mem::forget(object);
        } else {
            state.calls_cuda = true;
            drop(state);
            caught(|| release(object));
        }
        let mut state = self.lock();
        state.calls_cuda = false;
        state.done += 1;
        drop(state);
        self.changed.notify_all();
    }
}

/// Runs `work`, and returns even if it panics, or if the drop of the panic's payload panics.
pub(super) fn caught(work: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(work))
        && let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload)))
    {
        // Its drop can panic too.
        mem::forget(payload);
    }
}
