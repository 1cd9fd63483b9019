//! The end of the process, at which a driver frees what its functions use.

use std::{
    cell::Cell,
    ffi::c_int,
    process,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{error::Status, state};

// SAFETY: the declaration is C's; the function takes any other one, and may be called from any thread.
unsafe extern "C" {
    /// C11, 7.22.4.2: what is registered last runs first.
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

static IS_OVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static EXITS: Cell<bool> = const { Cell::new(false) };
}

extern "C" fn end() {
    EXITS.set(true);
    // No call is in progress.
    let _state = state::lock();
    IS_OVER.store(true, Ordering::SeqCst);
}

/// Sees to it that the driver ends with the process.
pub(crate) fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        atexit(end);
    });
}

/// What a call returns once the process exits: for the thread that exits, an error; another one may meet what is freed.
pub(crate) fn check() -> Result<(), Status> {
    if !IS_OVER.load(Ordering::SeqCst) {
        return Ok(());
    }
    if EXITS.get() {
        return Err(Status::DEINITIALIZED);
    }
    eprintln!(
        "a thread calls the driver while another one ends the process: the driver may use freed memory"
    );
    process::abort()
}
