//! The end of the process, where a driver frees the data that its functions use.

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

// SAFETY: this is the declaration of C; the function accepts any function, and may be called from any thread.
unsafe extern "C" {
    /// C11, 7.22.4.2: the function that is registered last runs first.
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

static IS_OVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static EXITS: Cell<bool> = const { Cell::new(false) };
}

extern "C" fn end() {
    EXITS.set(true);
    // No call is active.
    let _state = state::lock();
    IS_OVER.store(true, Ordering::SeqCst);
}

/// Registers the end of the driver at process exit.
pub(crate) fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        atexit(end);
    });
}

/// The result of a call during process exit: an error for the exiting thread. A call on another thread could access
/// freed data.
pub(crate) fn check() -> Result<(), Status> {
    if !IS_OVER.load(Ordering::SeqCst) {
        return Ok(());
    }
    if EXITS.get() {
        return Err(Status::DEINITIALIZED);
    }
    eprintln!("a thread calls the driver while another one ends the process: the driver may use freed memory");
    process::abort()
}
