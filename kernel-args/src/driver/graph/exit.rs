//! The end of the process, at which the driver frees what its functions use: none of them may run on a thread of this crate then.

use crate::driver::api::atexit;
use core::{cell::Cell, time::Duration};
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread_local,
};

/// How long the end waits: what is dropped on the thread is the program's, and may itself wait for the end.
const LONGEST: Duration = Duration::from_secs(1);

struct State {
    calls_cuda: bool,
    process_ends: bool,
}

static STATE: Mutex<State> = Mutex::new(State {
    calls_cuda: false,
    process_ends: false,
});
static CALLED: Condvar = Condvar::new();

thread_local! {
    static IS_CALLING: Cell<bool> = const { Cell::new(false) };
}

fn state() -> MutexGuard<'static, State> {
    // No code that may panic runs while it is locked.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

extern "C" fn end() {
    // What is dropped may end the process.
    if IS_CALLING.get() {
        return;
    }
    let mut state = state();
    state.process_ends = true;
    drop(CALLED.wait_timeout_while(state, LONGEST, |state| state.calls_cuda));
}

/// Sees to it that the end of the process waits for [`call`]. Called once, when the driver is initialised.
pub(super) fn register() {
    // Where no function can be registered any more, the process ends as it would without this.
    let _ = atexit(end);
}

/// Runs `calls`, for one thread at a time, which must not panic; `false` if the process ends, and nothing was run.
pub(super) fn call(calls: impl FnOnce()) -> bool {
    {
        let mut state = state();
        if state.process_ends {
            return false;
        }
        state.calls_cuda = true;
    }
    IS_CALLING.set(true);
    calls();
    IS_CALLING.set(false);
    state().calls_cuda = false;
    CALLED.notify_all();
    true
}
