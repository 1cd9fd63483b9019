//! What a run records, and the lock that lets one thread record at a time.

use super::{ExternalCache, ExternalSteps, Uploads, retired::Retired};
use crate::{
    driver::api::{LaunchLog, alloc_bytes},
    memory::{Kept, LockGuard, PoolMemory, RunMemory},
};
use core::{
    cell::{Cell, OnceCell, RefCell},
    fmt, mem,
    ops::{Deref, Range},
    sync::atomic::{AtomicU8, Ordering},
};
use cudarc::driver::{CudaContext, CudaStream, DriverError, sys::CUdeviceptr};
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
};

/// One run that records: where a launch with its recorder goes.
pub(crate) struct RunRecord {
    shared: Arc<SharedRecording>,
    segments: Arc<dyn Segments>,
    /// One of the constants below.
    state: AtomicU8,
}

const RECORDS: u8 = 0;
/// It was enqueued or given up.
const OVER: u8 = 1;
/// Its first steps are being enqueued.
const ENQUEUES: u8 = 2;
/// It records, and other calls of its stream are found.
const CHECKED: u8 = 3;

/// Enqueues the first steps of a run while it records.
pub(crate) trait Segments: Send + Sync {
    /// The steps since the last call are a segment.
    fn cut(&self, recording: &Recording);

    /// From now on, calls of the stream by other code are found, or no longer.
    fn watch(&self, recording: &Recording, watches: bool);
}

/// What the runs of a sequence record, one after another. The lock of its pool is its lock too.
pub(crate) struct SharedRecording {
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) pool: Arc<PoolMemory>,
    recording: Recording,
}

// SAFETY: `enter` gives references to `recording` to the thread that has the lock of the pool, for as long as it has
// it. `Recording` is `Send`.
unsafe impl Sync for SharedRecording {}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Recording>();
};

impl Drop for SharedRecording {
    fn drop(&mut self) {
        self.recording.settle();
        self.pool.close();
    }
}

/// The steps of a run and the memory that they may use. The thread that has entered it can enter it again, for example
/// when the argument of a launch launches: all fields have interior mutability.
pub(crate) struct Recording {
    pub(crate) held: RunMemory,
    /// The steps since the last cut.
    pub(crate) log: RefCell<LaunchLog>,
    /// The number of steps after which the run is cut.
    pub(crate) segment: Cell<usize>,
    /// Whether something follows each step: its uses of memory are noted, or the run is cut.
    pub(crate) is_watched: Cell<bool>,
    /// Whether steps are enqueued whose use of kept values is not recorded.
    pub(crate) is_unsettled: Cell<bool>,
    /// How often the thread has entered the recording when it is in no launch, memset or copy.
    scopes: Cell<usize>,
    /// The launch attribute for which no node of a graph exists.
    pub(crate) without_node: Cell<Option<&'static str>>,
    pub(crate) external: RefCell<ExternalCache>,
    pub(crate) pool: Arc<PoolMemory>,
    pub(crate) uploads: RefCell<Uploads>,
    /// Why the run cannot be part of a capture.
    pub(crate) outside_captures: Cell<Option<NotRecording>>,
    /// The stream of slices without events.
    untracked: OnceCell<Arc<CudaStream>>,
    /// The values that the run owns.
    pub(crate) kept: RefCell<Vec<Kept>>,
    /// Whether a run is recording, or was dropped in a place where it could not be cleaned up.
    pub(crate) is_active: Cell<bool>,
    /// For the steps that use memory which the run neither holds nor owns.
    retired: OnceCell<Arc<Retired>>,
}

/// Why a run cannot record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRecording {
    /// The run was enqueued or given up.
    Over,
    /// Another thread records now.
    Busy,
    /// An earlier run of the sequence is not over.
    Unfinished,
    NotEnqueued,
    /// It cannot end while this thread is in a launch of it, or in its closure.
    Inside,
    /// This thread compares the arguments of external work.
    Comparing,
    /// It copies from the host, and its stream is being captured.
    FromHost,
    /// It copies for the host, and its stream is being captured.
    ForHost,
    /// A kept value does not report memory that it has reported before.
    Unreported,
    /// A kept value reports its memory for a segment.
    Enqueuing,
    /// Its stream is being captured, and its first segments were enqueued before.
    HalfEnqueued,
}

/// Values to drop after a run. Dropping them can run user code.
#[must_use = "`release` drops each value, also after a panic"]
pub(crate) struct Leftovers {
    retained: Vec<Arc<dyn Send + Sync>>,
    kept: Vec<Kept>,
    external: Vec<Arc<ExternalSteps>>,
}

impl Leftovers {
    pub(crate) fn is_empty(&self) -> bool {
        self.retained.is_empty() && self.kept.is_empty() && self.external.is_empty()
    }

    /// Returns the values, for a different place of their drops.
    pub(crate) fn into_owners(self) -> Vec<Box<dyn Send>> {
        fn boxed<T: Send + 'static>(value: T) -> Box<dyn Send> {
            Box::new(value)
        }

        let Self { retained, kept, external } = self;
        let owners = retained.into_iter().map(boxed).chain(external.into_iter().map(boxed));
        owners.chain(kept.into_iter().map(boxed)).collect()
    }

    /// Drops all values. The first panic goes on when all are dropped.
    pub(crate) fn release(self) {
        let Self { retained, kept, external } = self;
        let mut panic = None;
        let mut caught = |drop: &mut dyn FnMut()| {
            panic = panic.take().or(catch_unwind(AssertUnwindSafe(drop)).err());
        };
        retained.into_iter().map(Some).for_each(|mut value| caught(&mut || drop(value.take())));
        external.into_iter().map(Some).for_each(|mut value| caught(&mut || drop(value.take())));
        kept.into_iter().map(Some).for_each(|mut value| caught(&mut || drop(value.take())));
        if let Some(panic) = panic
            && !thread::panicking()
        {
            resume_unwind(panic);
        }
    }
}

impl RunRecord {
    pub(crate) fn new(shared: Arc<SharedRecording>, segments: Arc<dyn Segments>) -> Self {
        Self { shared, segments, state: AtomicU8::new(RECORDS) }
    }

    pub(crate) fn reset(&mut self) {
        *self.state.get_mut() = RECORDS;
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.shared.stream
    }

    #[inline(always)]
    pub(crate) fn enter(&self) -> Result<Entered<'_>, NotRecording> {
        let entered = self.shared.enter()?;
        // The thread that ends a run has entered it.
        match self.state.load(Ordering::Relaxed) {
            RECORDS => Ok(entered),
            OVER => Err(NotRecording::Over),
            CHECKED => {
                self.segments.watch(&entered, false);
                Ok(entered)
            }
            _ => Err(NotRecording::Enqueuing),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.state.load(Ordering::Relaxed) == OVER
    }

    pub(crate) fn set_over(&self, entered: &Entered<'_>) {
        if self.state.swap(OVER, Ordering::Relaxed) == CHECKED {
            self.segments.watch(entered, false);
        }
    }

    pub(crate) fn set_checked(&self, entered: &Entered<'_>) {
        self.state.store(CHECKED, Ordering::Relaxed);
        self.end_call(entered);
    }

    /// The next calls of this thread are not part of the run.
    pub(crate) fn end_call(&self, entered: &Entered<'_>) {
        if self.state.load(Ordering::Relaxed) == CHECKED {
            self.segments.watch(entered, true);
        }
    }

    /// Calls of this thread are meant to be no part of the run until [`end_call`](Self::end_call), or no longer.
    pub(crate) fn allow_calls(&self, are_allowed: bool) {
        if self.state.load(Ordering::Relaxed) == CHECKED
            && let Ok(entered) = self.shared.enter()
        {
            self.segments.watch(&entered, !are_allowed);
        }
    }

    /// After a step: a run that is cut enqueues its steps, if there are enough. Until it has, nothing can record.
    pub(crate) fn end_step(&self, entered: &Entered<'_>) {
        struct Enqueues<'r>(&'r AtomicU8);

        impl Drop for Enqueues<'_> {
            fn drop(&mut self) {
                self.0.store(RECORDS, Ordering::Relaxed);
            }
        }

        let is_outermost = entered.1.depth() == entered.scopes.get() + 1;
        if is_outermost && entered.log.borrow().len() >= entered.segment.get() {
            self.state.store(ENQUEUES, Ordering::Relaxed);
            let _enqueues = Enqueues(&self.state);
            self.segments.cut(entered);
        }
        self.end_call(entered);
    }
}

impl SharedRecording {
    pub(crate) fn new(stream: Arc<CudaStream>) -> Self {
        let pool = PoolMemory::new(&stream, alloc_bytes, true, None);
        let recording = Recording {
            held: RunMemory::new(stream.clone()),
            log: RefCell::default(),
            segment: Cell::new(usize::MAX),
            is_watched: Cell::new(false),
            is_unsettled: Cell::new(false),
            scopes: Cell::new(0),
            without_node: Cell::new(None),
            external: RefCell::default(),
            pool: pool.clone(),
            uploads: RefCell::default(),
            outside_captures: Cell::new(None),
            untracked: OnceCell::new(),
            kept: RefCell::default(),
            is_active: Cell::new(false),
            retired: OnceCell::new(),
        };
        Self { stream, pool, recording }
    }

    #[inline(always)]
    pub(crate) fn enter(&self) -> Result<Entered<'_>, NotRecording> {
        let entered = self.pool.lock().enter().ok_or(NotRecording::Busy)?;
        Ok(Entered(&self.recording, entered))
    }
}

/// This thread is in the recording.
pub(crate) struct Entered<'r>(&'r Recording, LockGuard<'r>);

impl Entered<'_> {
    /// Returns whether this thread has entered it once: it is not in a launch.
    pub(crate) fn is_only(&self) -> bool {
        self.1.depth() == 1
    }

    /// This thread stays in the recording until the run is over.
    pub(crate) fn stay(&self) {
        self.scopes.set(1);
    }

    pub(crate) fn lock(&self) -> &LockGuard<'_> {
        &self.1
    }
}

impl Deref for Entered<'_> {
    type Target = Recording;

    #[inline(always)]
    fn deref(&self) -> &Recording {
        self.0
    }
}

impl Recording {
    /// Returns a stream of the same context, in which cudarc tracks nothing: slices of it have no events.
    ///
    /// Uses a second, leaked `CudaContext` for the same handle: dropping it would destroy a context that the user
    /// created.
    pub(crate) fn untracked(&self) -> Result<&Arc<CudaStream>, DriverError> {
        if let Some(known) = self.untracked.get() {
            return Ok(known);
        }
        let context = self.held.stream().context();
        let own = if context.is_primary() {
            CudaContext::new(context.ordinal())
        } else {
            // SAFETY: the context is alive. The handle is leaked below, so it never destroys the context, and this
            // recording, which keeps the context alive, is its only user.
            unsafe { CudaContext::from_raw_context(context.ordinal(), context.cu_device(), context.cu_ctx()) }
        }?;
        // SAFETY: its slices are aliases of tracked slices, whose uses the run awaits and records.
        unsafe { own.disable_event_tracking() };
        if !context.is_primary() {
            mem::forget(own.clone());
        }
        Ok(self.untracked.get_or_init(|| own.default_stream()))
    }

    pub(crate) fn begin(&self) {
        self.is_active.set(true);
        self.scopes.set(0);
        self.pool.begin_run();
        if let Some(retired) = self.retired.get() {
            retired.begin();
        }
    }

    /// Adds memory whose owner guarantees that it stays allocated until this run is enqueued, or every run.
    pub(crate) fn assume(&self, memory: Range<CUdeviceptr>, always: bool) {
        self.retired.get_or_init(|| {
            let retired = Retired::new(self.held.stream());
            if self.is_active.get() {
                retired.begin();
            }
            retired
        });
        self.held.own(memory, always);
    }

    /// Returns what was retired, because the run is over.
    pub(crate) fn take_retired(&self) -> Vec<Arc<dyn Send + Sync>> {
        self.retired.get().map(|retired| retired.end()).unwrap_or_default()
    }

    /// Kept values can be dropped: if the use of them by other streams is tracked, and the use by this run was not
    /// recorded, waits for it. During a capture, the release of the values waits for the stream.
    fn settle(&self) {
        let stream = self.held.stream();
        if self.is_unsettled.take() && stream.context().is_event_tracking() {
            // `Drop` calls it, which cannot report an error.
            let _ = stream.synchronize();
        }
    }

    /// Forgets the run. The caller releases what it leaves behind when nothing is borrowed.
    pub(crate) fn clear(&self) -> Leftovers {
        self.settle();
        self.log.borrow_mut().clear();
        self.uploads.borrow_mut().clear();
        self.without_node.set(None);
        self.outside_captures.set(None);
        let external = if self.is_active.take() { self.external.borrow_mut().end_run() } else { Vec::new() };
        let mut retained = self.held.clear();
        retained.append(&mut self.take_retired());
        Leftovers { retained, kept: self.kept.take(), external }
    }
}

impl fmt::Debug for RunRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let launches = self.enter().ok().map(|recording| recording.log.borrow().len());
        f.debug_struct("Recording").field("launches", &launches).finish_non_exhaustive()
    }
}
