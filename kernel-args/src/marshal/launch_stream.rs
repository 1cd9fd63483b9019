//! The stream of one launch, as its arguments see it while they are lowered.

use core::{cell::Cell, marker::PhantomData};
#[cfg(feature = "cudarc")]
use {
    core::{cell::OnceCell, mem::ManuallyDrop, ptr},
    cudarc::driver::{
        CudaContext, CudaStream, DriverError, SyncOnDrop,
        sys::{CUcontext, CUevent},
    },
    std::sync::Arc,
};

/// The stream of one launch, which [`KernelArg::lower`](super::KernelArg::lower) receives.
///
/// An argument whose memory is used on other streams (a cudarc slice) has this stream wait for them, and records its use
/// of the memory.
pub struct LaunchStream<'k> {
    #[cfg(feature = "cudarc")]
    stream: Option<&'k CudaStream>,
    /// The context of a launch that names no stream; null where that of the first argument is taken.
    #[cfg(feature = "cudarc")]
    context: CUcontext,
    #[cfg(feature = "cudarc")]
    default_stream: DefaultStream,
    field: Cell<usize>,
    #[cfg(feature = "cudarc")]
    foreign: Cell<Option<usize>>,
    #[cfg(feature = "cudarc")]
    tracked: Cell<bool>,
    #[cfg(feature = "cudarc")]
    recorded: Recorded,
    launch: PhantomData<&'k ()>,
}

impl<'k> LaunchStream<'k> {
    /// No stream is named: an argument uses the default stream of its own context.
    #[inline]
    pub(crate) fn untracked() -> Self {
        Self {
            #[cfg(feature = "cudarc")]
            stream: None,
            #[cfg(feature = "cudarc")]
            context: ptr::null_mut(),
            #[cfg(feature = "cudarc")]
            default_stream: DefaultStream::new(),
            field: Cell::new(0),
            #[cfg(feature = "cudarc")]
            foreign: Cell::new(None),
            #[cfg(feature = "cudarc")]
            tracked: Cell::new(false),
            #[cfg(feature = "cudarc")]
            recorded: Recorded::new(),
            launch: PhantomData,
        }
    }

    /// A launch on `stream`, which waits for the work on other streams that its arguments depend on.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn on(stream: &'k CudaStream) -> Self {
        Self {
            stream: Some(stream),
            ..Self::untracked()
        }
    }

    /// A launch on the default stream of `context`; of the first argument's context where `context` is null.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn in_context(context: CUcontext) -> Self {
        Self {
            context,
            ..Self::untracked()
        }
    }

    /// Declares that the argument's memory belongs to `context`: [`KernelArg::check_context`] calls it before any argument
    /// is lowered. An argument of another context than the launch is then refused before the driver is called.
    ///
    /// [`KernelArg::check_context`]: super::KernelArg::check_context
    #[cfg(feature = "cudarc")]
    #[inline]
    pub fn check_context(&self, context: &Arc<CudaContext>) {
        let same = match self.stream {
            Some(stream) => {
                Arc::ptr_eq(stream.context(), context)
                    || stream.context().cu_ctx() == context.cu_ctx()
            }
            None if self.context.is_null() => {
                self.default_stream.of(context).context().cu_ctx() == context.cu_ctx()
            }
            None => self.context == context.cu_ctx(),
        };
        if !same {
            self.mark_foreign();
        }
    }

    /// The stream of this launch, for an argument that belongs to `context`. Where the launch names no stream, it is the
    /// default stream of that context.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub fn stream(&self, context: &Arc<CudaContext>) -> &CudaStream {
        self.check_context(context);
        self.tracked.set(true);
        match self.stream {
            Some(stream) => stream,
            None => self.default_stream.of(context),
        }
    }

    /// The context to which the arguments belong, as far as one has declared it.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn context(&self) -> Option<&Arc<CudaContext>> {
        let stream = self.stream.or_else(|| self.default_stream.get())?;
        Some(stream.context())
    }

    /// A guard that records what `sync` records, where no other guard of this launch has recorded the same event: several
    /// arguments can be views of one buffer.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub(crate) fn guard<'s>(&'s self, sync: SyncOnDrop<'s>) -> Guard<'s> {
        let mut guard = Guard::new(sync);
        guard.recorded = Some(&self.recorded);
        guard
    }

    /// The error of a wait or a record that cudarc could not return when it was enqueued. cudarc keeps it in the context
    /// of the stream.
    ///
    /// The call before the driver is asked to launch is also where the guards' records begin to count: an event that is
    /// recorded later needs no second record, whereas one that a guard recorded earlier does not cover this launch.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn check(&self) -> Result<(), DriverError> {
        if !self.tracked.get() {
            return Ok(());
        }
        self.recorded.begin();
        self.context().map_or(Ok(()), |context| context.check_err())
    }

    /// Records which field is being checked or lowered, so that an error can name it.
    #[inline]
    pub(crate) fn enter(&self, field: usize) {
        self.field.set(field);
    }

    /// Records that the field being checked or lowered belongs to another context than the launch.
    #[cfg(feature = "cudarc")]
    #[cold]
    fn mark_foreign(&self) {
        if self.foreign.get().is_none() {
            self.foreign.set(Some(self.field.get()));
        }
    }

    /// The first field that belongs to another context than the launch.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn foreign(&self) -> Option<usize> {
        self.foreign.get()
    }
}

/// The default stream of a launch that names none, once an argument has asked for it.
///
/// It is moved out before it is dropped. A drop in place would take the address of the `LaunchStream`, which would then
/// stay in memory in every launch instead of being optimised away.
#[cfg(feature = "cudarc")]
struct DefaultStream(ManuallyDrop<OnceCell<Arc<CudaStream>>>);

#[cfg(feature = "cudarc")]
impl DefaultStream {
    const fn new() -> Self {
        Self(ManuallyDrop::new(OnceCell::new()))
    }

    fn of(&self, context: &Arc<CudaContext>) -> &CudaStream {
        self.0.get_or_init(|| context.default_stream())
    }

    fn get(&self) -> Option<&CudaStream> {
        self.0.get().map(|stream| &**stream)
    }
}

#[cfg(feature = "cudarc")]
impl Drop for DefaultStream {
    #[inline(always)]
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

/// The events that guards have recorded since the launch: as many as fit, which is enough for the views of a buffer that
/// stand near each other. An event that is not here is recorded again, which costs time and nothing else.
#[cfg(feature = "cudarc")]
struct Recorded {
    /// Null where there is none.
    events: Cell<[CUevent; 4]>,
    /// The place of the next event; none before the launch.
    next: Cell<Option<usize>>,
}

#[cfg(feature = "cudarc")]
impl Recorded {
    const fn new() -> Self {
        Self {
            events: Cell::new([ptr::null_mut(); 4]),
            next: Cell::new(None),
        }
    }

    /// Forgets all events: the launch is enqueued next.
    #[inline]
    fn begin(&self) {
        self.events.set([ptr::null_mut(); 4]);
        self.next.set(Some(0));
    }

    /// Whether this event still has to be recorded. The caller records it.
    fn insert(&self, event: CUevent) -> bool {
        let Some(next) = self.next.get() else {
            return true;
        };
        let mut events = self.events.get();
        if events.contains(&event) {
            return false;
        }
        events[next % events.len()] = event;
        self.next.set(Some(next + 1));
        self.events.set(events);
        true
    }
}

/// Lives until a launch has been enqueued; its drop then records the use of the argument's memory.
///
/// One type serves all arguments: with an associated type in the signatures that the derive's output calls, rustc would
/// report a field that cannot be passed twice.
#[must_use = "dropping it records that the launch has been enqueued"]
pub struct Guard<'s> {
    #[cfg(feature = "cudarc")]
    sync: ManuallyDrop<Option<SyncOnDrop<'s>>>,
    /// What this launch has recorded; none for a guard that an argument made without a [`LaunchStream`].
    #[cfg(feature = "cudarc")]
    recorded: Option<&'s Recorded>,
    argument: PhantomData<&'s ()>,
}

impl<'s> Guard<'s> {
    /// For an argument whose use is not recorded.
    pub const NONE: Self = Self {
        #[cfg(feature = "cudarc")]
        sync: ManuallyDrop::new(None),
        #[cfg(feature = "cudarc")]
        recorded: None,
        argument: PhantomData,
    };

    /// For cudarc's device memory, whose use is recorded when the launch has been enqueued.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub fn new(sync: SyncOnDrop<'s>) -> Self {
        // Memory that is not tracked has no event, and so needs no call when the guard is dropped.
        let sync = match sync {
            SyncOnDrop::Record(None) | SyncOnDrop::Sync(None) => None,
            sync => Some(sync),
        };
        Self {
            sync: ManuallyDrop::new(sync),
            recorded: None,
            argument: PhantomData,
        }
    }
}

/// A value has no guard, so this optimises to nothing. The drop of a guard is a call that is not inlined: rustc would
/// otherwise keep a copy for each of many values.
#[cfg(feature = "cudarc")]
impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.sync.is_some() {
            record_use(self.sync.take(), self.recorded);
        }
    }
}

#[cfg(feature = "cudarc")]
#[inline(never)]
fn record_use(mut sync: Option<SyncOnDrop<'_>>, recorded: Option<&Recorded>) {
    if let Some(SyncOnDrop::Record(target)) = &mut sync
        && let (Some((event, stream)), Some(recorded)) = (&*target, recorded)
        // Otherwise the drop records nothing, and a later guard may have to.
        && stream.context().is_managing_stream_synchronization()
        && !recorded.insert(event.cu_event())
    {
        *target = None;
    }
    drop(sync);
}
