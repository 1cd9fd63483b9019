//! The thread on which owners of a graph's memory are dropped.
//!
//! The driver runs the destructor of a user object on its own thread, which must not call CUDA (CUDA Driver API,
//! `cuUserObjectCreate`), but dropping a slice calls CUDA. Therefore the destructor sends the owner to a thread of this
//! crate. An owner that an update has replaced is sent there too, with an event that completes when the launches that
//! may use it have finished.
//!
//! At the end of the process, the driver frees data that its functions use, so the thread must not be in the driver then.
//! [`release_queue`](super::release_queue) has the states of the thread.

use super::{
    Graph,
    release_queue::{ReleaseQueue, State, caught},
    sync::{Condvar, Mutex},
};
use crate::driver::api::{Api, Event, api, atexit};
use core::{cell::Cell, mem, time::Duration};
use cudarc::driver::CudaContext;
use std::{
    boxed::Box,
    sync::{Arc, OnceLock},
    thread, thread_local,
    vec::Vec,
};

/// The maximum wait at the end of the process. The thread drops values of the program, which may themselves wait for
/// the end.
const LONGEST: Duration = Duration::from_secs(1);

/// A value whose drop frees the memory that a node's arguments point to.
pub(super) type Owner = Box<dyn Send>;

/// Owners that nothing uses after an event.
pub(super) struct Released {
    pub(super) after: Option<Event>,
    /// It is current during the drops.
    pub(super) context: Arc<CudaContext>,
    /// They are dropped first.
    pub(super) former: Vec<Owner>,
    pub(super) owner: Owner,
}

static QUEUE: ReleaseQueue<Released> = ReleaseQueue {
    state: Mutex::new(State::EMPTY),
    changed: Condvar::new(),
};

thread_local! {
    static IS_THE_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Starts the thread once; returns whether it runs.
pub(super) fn start() -> bool {
    static RUNS: OnceLock<bool> = OnceLock::new();
    *RUNS.get_or_init(|| {
        let Ok(api) = api() else { return false };
        // If `atexit` fails, the process ends without waiting.
        let _ = atexit(end);
        let thread = thread::Builder::new().name("kernel-args".into());
        thread.spawn(|| run(api)).is_ok()
    })
}

extern "C" fn end() {
    QUEUE.end(IS_THE_THREAD.get(), LONGEST);
}

/// Drops the owners on the thread, which was started before anything was retained. This function does not call CUDA.
pub(super) fn release(released: Released) {
    QUEUE.send(released);
}

impl Graph {
    /// Blocks until everything that graphs have released so far is dropped: retained values of nodes that were updated
    /// since, and of dropped graphs whose launches have finished. The driver reports on a thread of its own that nothing uses a
    /// dropped graph any more, so values of a graph that was dropped just now can be released after this call.
    ///
    /// They are dropped soon on a different thread even without this call. Use it if the program must know when they
    /// are dropped. The end of the process waits at most one second for such drops, and does not drop the rest.
    ///
    /// When the drop of such a value calls this function, it returns at once: the value itself is not dropped yet. For
    /// the same reason, such a drop must not wait for another thread that calls it.
    pub fn wait_until_released() {
        QUEUE.wait(IS_THE_THREAD.get());
    }
}

fn run(api: &Api) {
    IS_THE_THREAD.set(true);
    let mut is_relaxed = false;
    loop {
        QUEUE.take(|released| {
            if !mem::replace(&mut is_relaxed, true) {
                // In this mode, the calls of this thread do not fail while a different thread captures a stream.
                const RELAXED: u32 = 2;
                let _ = api.cuThreadExchangeStreamCaptureMode(&mut { RELAXED });
            }
            drop_after(api, released);
        });
    }
}

fn drop_after(api: &Api, released: Released) {
    let Released {
        after,
        context,
        former,
        owner,
    } = released;
    // cudarc's functions would return a pending error of the context instead of making the call. Errors of these calls
    // cannot be reported here.
    let _ = api.cuCtxSetCurrent((&*context).into());
    if after.as_ref().is_none_or(Event::wait) {
        // Each on its own: an owner that panics must not keep the next owners from being dropped.
        for owner in former.into_iter().chain([owner]) {
            caught(|| drop(owner));
        }
    } else {
        // A kernel may still use the memory.
        mem::forget((former, owner));
    }
}
