//! The thread on which owners of a graph's memory are dropped.
//!
//! Launches use the memory of a graph's arguments until they have finished. So an owner is sent to a thread of this
//! crate, with an event that completes when they have. A stream that is being captured can record none: the thread
//! records it later, when it gets the next owner. User objects of the driver would make each launch 0.8 µs longer on an
//! H200, and their destructors must not call CUDA (CUDA Driver API, `cuUserObjectCreate`). Arguments that own nothing
//! skip all this at compile time.
//!
//! At the end of the process, the driver frees data that its functions use, so the thread must not be in the driver
//! then: [`release_queue`](super::release_queue) has its states.

use super::{
    Graph, explain,
    release_queue::{ReleaseQueue, State, caught},
    sync::{Condvar, Mutex},
};
use crate::{
    driver::{
        api::{Api, Event, api, atexit},
        error::Error,
    },
    lock::lock,
};
use core::{cell::Cell, mem, time::Duration};
use cudarc::driver::{CudaContext, CudaStream};
use std::{
    sync::{self, Arc, OnceLock},
    thread,
};

/// Values of user code may themselves wait for the end of the process.
const LONGEST: Duration = Duration::from_secs(1);

/// A value whose drop frees the memory that a node's arguments point to.
pub(crate) type Owner = Box<dyn Send>;

struct Released {
    after: ReleaseAfter,
    /// It is current during the drops.
    context: Arc<CudaContext>,
    /// They are dropped in this order.
    owners: Vec<Owner>,
}

enum ReleaseAfter {
    Nothing,
    Event(Event),
    /// The work of a stream that was being captured.
    Stream(Arc<CudaStream>),
}

impl ReleaseAfter {
    /// After the work that `stream` has now. Its context must be current.
    fn work_of(stream: Arc<CudaStream>, api: &'static Api) -> Self {
        // An event that was recorded by a capture never completes.
        let settled = || api.is_capturing(&stream).is_ok_and(|capturing| !capturing);
        if settled()
            && let Ok(event) = Event::record(api, &stream)
            && settled()
        {
            return Self::Event(event);
        }
        Self::Stream(stream)
    }
}

/// `None` only lets the thread try again to record events.
static QUEUE: ReleaseQueue<Option<Released>> =
    ReleaseQueue { state: Mutex::new(State::EMPTY), changed: Condvar::new() };

static RUNS: OnceLock<bool> = OnceLock::new();

thread_local! {
    static IS_THE_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Starts the thread once. This must be called before anything is released.
pub(crate) fn start() -> Result<(), Error> {
    let runs = RUNS.get_or_init(|| {
        let Ok(api) = api() else { return false };
        // If `atexit` fails, the process ends without waiting.
        let _ = atexit(end);
        let thread = thread::Builder::new().name("kernel-args".into());
        thread.spawn(|| run(api)).is_ok()
    });
    if *runs { Ok(()) } else { Err(explain::RETAINED.no_thread()) }
}

extern "C" fn end() {
    QUEUE.end(IS_THE_THREAD.get(), LONGEST);
}

/// Drops `owners` in this order on the thread, after the work that `stream` has now. With a stream, `context` must be
/// current.
pub(crate) fn release(stream: Option<&Arc<CudaStream>>, context: &Arc<CudaContext>, owners: Vec<Owner>) {
    if owners.is_empty() {
        return;
    }
    let after = match (stream, api()) {
        (Some(stream), Ok(api)) => ReleaseAfter::work_of(stream.clone(), api),
        _ => ReleaseAfter::Nothing,
    };
    QUEUE.send(Some(Released { after, context: context.clone(), owners }));
}

/// What the thread drops can free memory on a stream, and would become a part of a capture of this stream. So it drops
/// nothing during captures of this crate, and they begin when it drops nothing.
struct Turns {
    /// The captures that other threads make.
    captures: usize,
    drops: bool,
}

static TURNS: sync::Mutex<Turns> = sync::Mutex::new(Turns { captures: 0, drops: false });
static DROPPED: sync::Condvar = sync::Condvar::new();
/// How long a capture waits for a drop, which can itself wait for the thread of the capture.
const PATIENCE: Duration = Duration::from_millis(100);

/// A capture of this crate.
pub(crate) struct Capturing(());

impl Capturing {
    pub(crate) fn begin() -> Option<Self> {
        (!IS_THE_THREAD.get()).then(|| {
            let mut turns = lock(&TURNS);
            turns.captures += 1;
            drop(DROPPED.wait_timeout_while(turns, PATIENCE, |turns| turns.drops));
            Self(())
        })
    }
}

impl Drop for Capturing {
    fn drop(&mut self) {
        lock(&TURNS).captures -= 1;
        if RUNS.get() == Some(&true) {
            QUEUE.send(None);
        }
    }
}

impl Graph {
    /// Blocks until everything that graphs have released so far is dropped: retained values of nodes that were updated
    /// since, and of dropped graphs, when their launches have finished. It does not wait for the end of a capture: of
    /// the stream of the last launch, or of [`Graph::capture`] on any thread, before which nothing is dropped.
    ///
    /// They are dropped soon even without this call, on a different thread. The end of the process waits at most one
    /// second for such drops, and does not drop the rest.
    ///
    /// In the drop of such a value this function returns at once, because the value itself is not dropped yet. For the
    /// same reason, such a drop must not wait for another thread that calls it.
    pub fn wait_until_released() {
        if RUNS.get() == Some(&true) {
            QUEUE.send(None);
            QUEUE.wait(IS_THE_THREAD.get());
        }
    }
}

fn run(api: &'static Api) {
    IS_THE_THREAD.set(true);
    let mut is_relaxed = false;
    let mut waiting: Vec<Released> = Vec::new();
    loop {
        QUEUE.take(|released| {
            if !mem::replace(&mut is_relaxed, true) {
                // The calls of this thread do not fail while a different thread captures a stream.
                let _ = api.cuThreadExchangeStreamCaptureMode(&mut { Api::RELAXED });
            }
            waiting.extend(released);
            waiting = mem::take(&mut waiting).into_iter().filter_map(|released| drop_after(api, released)).collect();
        });
    }
}

/// Returns the owners if no event can be recorded yet, or a capture takes what their drop enqueues.
fn drop_after(api: &'static Api, mut released: Released) -> Option<Released> {
    // cudarc's functions would return a pending error of the context instead. Errors cannot be reported here.
    let _ = api.cuCtxSetCurrent((&*released.context).into());
    if let ReleaseAfter::Stream(stream) = released.after {
        released.after = ReleaseAfter::work_of(stream, api);
    }
    let has_finished = match &released.after {
        ReleaseAfter::Nothing => true,
        ReleaseAfter::Event(event) => event.finish().is_ok(),
        ReleaseAfter::Stream(_) => return Some(released),
    };
    {
        let mut turns = lock(&TURNS);
        if turns.captures > 0 {
            return Some(released);
        }
        turns.drops = true;
    }
    if has_finished {
        // An owner that panics must not keep the next owners from being dropped.
        for owner in released.owners {
            if QUEUE.process_ends() {
                mem::forget(owner);
            } else {
                caught(|| drop(owner));
            }
        }
    } else {
        // A kernel may still use the memory.
        mem::forget(released.owners);
    }
    lock(&TURNS).drops = false;
    DROPPED.notify_all();
    None
}
