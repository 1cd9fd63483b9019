//! The flight recorder: the last launches of each context, and a marker that the GPU writes after each.

use super::{Event, recorded::Recorded};
use crate::{
    driver::{
        api::{Api, CallError, DriverCall, Markers, Status, StreamHandle, api, out},
        context::bind,
        error::{ContextFault, Error, FLIGHT_RECORDER, RunningLaunch},
        watched::Watcher,
    },
    lock::lock,
};
use core::cell::Cell;
use cudarc::driver::CudaContext;
use std::{
    collections::{BTreeMap, VecDeque, btree_map::Entry},
    env,
    sync::{Arc, Mutex},
};

struct FlightRecorder {
    kept: usize,
    contexts: BTreeMap<Id, Records>,
}

/// The largest number of launches that are kept of a context: markers of 256 KiB, and launches of some 100 bytes each.
const MOST: usize = 1 << 16;

/// A context: its handle, and its id, which no later context with the same handle has. The id is 0 if the driver is
/// older than 12.0.
type Id = (usize, u64);

static RECORDER: Mutex<FlightRecorder> = Mutex::new(FlightRecorder { kept: 0, contexts: BTreeMap::new() });

struct Records {
    /// The word of a launch is the remainder of its number. The GPU writes the launch's number plus 1, as 32 bits.
    markers: Markers,
    words: usize,
    launches: u64,
    last: VecDeque<Recorded>,
}

thread_local! {
    /// Whether this thread is in a launch that holds the lock. The error of the launch gets its fault afterwards.
    static LOCKED: Cell<bool> = const { Cell::new(false) };
}

/// Drop is the end of the launch.
struct Locked;

impl Drop for Locked {
    fn drop(&mut self) {
        LOCKED.set(false);
    }
}

/// Returns what was running in the current context when the fault came. If the current context has no records, of the
/// only one that has.
fn current_fault(status: Status) -> Option<ContextFault> {
    if !Watcher::Recorder.is_active() || LOCKED.get() {
        return None;
    }
    let current = api().ok()?.current().ok()?;
    let recorder = lock(&RECORDER);
    let mut contexts = recorder.contexts.keys().rev();
    let found = contexts.clone().find(|id| id.0 == current.addr());
    let only = || contexts.next().filter(|_| recorder.contexts.len() == 1);
    recorder.fault(*found.or_else(only)?, status)
}

/// Returns the number that is kept.
pub(super) fn keep(kept: usize) -> usize {
    let kept = kept.min(MOST);
    let mut recorder = lock(&RECORDER);
    recorder.kept = kept;
    recorder.contexts.clear();
    FLIGHT_RECORDER.get_or_init(|| current_fault);
    Watcher::Recorder.set_active(kept > 0);
    kept
}

pub(super) fn read_environment() {
    const NAME: &str = "KERNEL_ARGS_FLIGHT_RECORDER";
    let Some(value) = env::var_os(NAME) else {
        return;
    };
    match value.to_str().and_then(|value| value.parse().ok()) {
        Some(wanted) => {
            let kept = keep(wanted);
            if kept < wanted {
                eprintln!("{NAME} is {wanted}: the last {kept} launches are kept, which is the largest number");
            }
        }
        None => eprintln!("{NAME} is not a number of launches: the flight recorder is off"),
    }
}

/// Returns the fault of a context: waits for its work, and returns the launches that were running when a kernel left an
/// error in it. `None` if there is no such error, or if the recorder is off.
///
/// # Errors
/// The errors of the driver that are not faults of the context.
pub fn context_fault(context: &Arc<CudaContext>) -> Result<Option<ContextFault>, Error> {
    let api = api()?;
    let status = match bind(api, context) {
        Ok(()) => match api.cuCtxSynchronize() {
            Ok(()) => return Ok(None),
            // Not as an `Error`, which looks for the fault too.
            Err(CallError::Returned(DriverCall { status, .. })) if status.is_fault() => status,
            Err(error) => return Err(error.into()),
        },
        Err(Error::Driver { status, .. }) if status.is_fault() => status,
        Err(error) => return Err(error),
    };
    Ok(lock(&RECORDER).fault(id(api, context), status))
}

pub(super) fn record<R>(event: &Event<'_>, run: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    if !Watcher::Recorder.is_active() {
        return run();
    }
    let Ok(api) = api() else { return run() };
    let Some((context, stream)) = place(api, event) else {
        return run();
    };
    // The lock is held during the launch: the order of the records is the order in each stream.
    let mut recorder = lock(&RECORDER);
    let kept = recorder.kept;
    if kept == 0 {
        drop(recorder);
        return run();
    }
    if let Entry::Vacant(new) = recorder.contexts.entry(context)
        && let Ok(markers) = Markers::new(api, kept)
    {
        new.insert(Records { markers, words: kept, launches: 0, last: VecDeque::new() });
    }
    let launch = recorder.contexts.get(&context).and_then(|records| Recorded::of(api, records.launches, event));
    LOCKED.set(true);
    let locked = Locked;
    let result = run();
    drop(locked);
    if result.is_ok()
        && let (Some(launch), Some(records)) = (launch, recorder.contexts.get_mut(&context))
    {
        records.add(api, stream, launch);
    }
    if let Err(error) = &result
        && let Some(lost) = error.lost_context()
    {
        lost.set_fault(recorder.fault(context, lost.status()));
    }
    result
}

/// Returns the context and the stream of a launch that runs now. `None` for other events, and for a launch that is
/// captured or recorded.
fn place<'e>(api: &Api, event: &Event<'e>) -> Option<(Id, StreamHandle<'e>)> {
    let (context, stream) = match *event {
        Event::KernelLaunch(_) | Event::LauncherCall(_) => {
            let call = event.call().filter(|call| !call.is_recorded)?;
            let context = match call.context {
                Some(context) => id(api, context),
                None => (api.current().ok()? as usize, 0),
            };
            (context, call.handle)
        }
        Event::GraphLaunch(graph) => (id(api, graph.stream.context()), graph.stream.into()),
        Event::SequenceRun(run) => (id(api, run.stream.context()), run.stream.into()),
        Event::ModuleLoad(_) | Event::Compilation(_) => return None,
    };
    match out(|status| api.cuStreamIsCapturing(stream, status)) {
        Ok(0) => Some((context, stream)),
        // After a fault every call returns it. The launch will, too, and then names what was running.
        Err(CallError::Returned(DriverCall { status, .. })) if status.is_fault() => Some((context, stream)),
        _ => None,
    }
}

fn id(api: &Api, context: &CudaContext) -> Id {
    (context.cu_ctx() as usize, api.context_id(context).unwrap_or(0))
}

impl Records {
    /// Adds a launch that was enqueued, and lets the GPU write its marker after it.
    fn add(&mut self, api: &Api, stream: StreamHandle<'_>, recorded: Recorded) {
        let number = recorded.launch.number;
        if self.last.len() == self.words {
            self.last.pop_front();
        }
        self.last.push_back(recorded);
        self.launches += 1;
        // After a fault, the marker cannot be written: the launch has not finished.
        let _ = self.markers.write(api, stream, self.word(number), marker(number));
    }

    fn word(&self, number: u64) -> usize {
        usize::try_from(number % self.words as u64).unwrap_or(0)
    }
}

fn marker(number: u64) -> u32 {
    (number as u32).wrapping_add(1)
}

impl FlightRecorder {
    fn fault(&self, context: Id, status: Status) -> Option<ContextFault> {
        let records = self.contexts.get(&context)?;
        let (mut streams, mut running, mut waiting) = (Vec::new(), Vec::new(), 0);
        for recorded in &records.last {
            let RunningLaunch { number, stream, .. } = recorded.launch;
            if records.markers.read(records.word(number)) == marker(number) {
                continue;
            }
            if streams.contains(&stream) {
                waiting += 1;
            } else {
                streams.push(stream);
                running.push(recorded.to_running());
            }
        }
        Some(ContextFault {
            status,
            launches: records.launches,
            running,
            waiting,
            forgotten: records.launches - records.last.len() as u64,
        })
    }
}
