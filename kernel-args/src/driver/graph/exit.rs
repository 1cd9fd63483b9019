//! The end of the process. The driver then frees data that its functions use, so no thread of this crate may be in the
//! driver.

use crate::driver::api::atexit;
use core::{cell::Cell, time::Duration};
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread_local,
};

/// The maximum wait at the end of the process. The thread drops values of the program, which may themselves wait for
/// the end.
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
    // No code that can panic runs while it is locked.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

extern "C" fn end() {
    // A dropped value may end the process on this thread.
    if IS_CALLING.get() {
        return;
    }
    let mut state = state();
    state.process_ends = true;
    drop(CALLED.wait_timeout_while(state, LONGEST, |state| state.calls_cuda));
}

/// Makes the end of the process wait for [`call`]. Called once, when the driver is initialised.
pub(super) fn register() {
    // If `atexit` fails, the process ends without waiting.
    let _ = atexit(end);
}

/// Runs `calls`, one thread at a time; `calls` must not panic. Returns `false`, without running it, if the process is
/// ending.
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
