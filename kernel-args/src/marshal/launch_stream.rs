//! The stream of one launch, as its arguments see it while they are lowered.

use core::{cell::Cell, marker::PhantomData};
#[cfg(feature = "cudarc")]
use {
    super::context_name::{ContextName, Foreign},
    core::{cell::OnceCell, mem::ManuallyDrop, ptr},
    cudarc::driver::{
        CudaContext, CudaEvent, CudaStream, DriverError, SyncOnDrop,
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
    foreign: Cell<Option<(usize, ContextName)>>,
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
            self.mark_foreign(context);
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

    /// A guard that records what `sync` records, where the guard before it has not recorded the same event: arguments can be
    /// views of one buffer.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub(crate) fn guard<'s>(&'s self, sync: SyncOnDrop<'s>) -> Guard<'s> {
        Guard {
            sync: ManuallyDrop::new(Some(sync)),
            recorded: Some(&self.recorded),
            argument: PhantomData,
        }
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

    /// Records that the field being checked or lowered belongs to `argument`, which is not the context of the launch.
    ///
    /// A call with `self`, or with a reference to it, would keep all of it in memory in every launch.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    fn mark_foreign(&self, argument: &CudaContext) {
        if self.foreign.get().is_none() {
            self.foreign
                .set(Some((self.field.get(), name_of(argument))));
        }
    }

    /// The first field that belongs to another context than the launch, and both contexts.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub(crate) fn foreign(&self) -> Option<Foreign> {
        let (field, argument) = self.foreign.get()?;
        // What `argument` was compared with.
        let launch = match self.context() {
            Some(context) if self.context.is_null() => name_of(context),
            _ => ContextName::of_handle(self.context, None),
        };
        Some(Foreign {
            field,
            argument,
            launch,
        })
    }
}

/// The name of a context, out of line.
#[cfg(feature = "cudarc")]
#[cold]
#[inline(never)]
fn name_of(context: &CudaContext) -> ContextName {
    ContextName::of(context)
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

/// The event that a guard recorded last since the launch, which is enough for views of one buffer that stand side by side.
/// An event that is not here is recorded again, which costs time and nothing else.
#[cfg(feature = "cudarc")]
struct Recorded(Cell<CUevent>);

#[cfg(feature = "cudarc")]
impl Recorded {
    /// Stands here before the launch; null stands here after it, where nothing has been recorded.
    const BEFORE_LAUNCH: CUevent = ptr::without_provenance_mut(1);

    const fn new() -> Self {
        Self(Cell::new(Self::BEFORE_LAUNCH))
    }

    /// The launch is enqueued next.
    #[inline]
    fn begin(&self) {
        self.0.set(ptr::null_mut());
    }

    /// Whether this event still has to be recorded. The caller records it.
    fn insert(&self, event: CUevent) -> bool {
        let last = self.0.get();
        if last != Self::BEFORE_LAUNCH {
            self.0.set(event);
        }
        last != event
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

    /// Whether nothing happens when it is dropped.
    #[cfg(feature = "cudarc")]
    pub(super) fn is_none(&self) -> bool {
        self.sync.is_none()
    }

    /// For cudarc's device memory, whose use is recorded when the launch has been enqueued.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub fn new(sync: SyncOnDrop<'s>) -> Self {
        Self {
            sync: ManuallyDrop::new(Some(sync)),
            recorded: None,
            argument: PhantomData,
        }
    }
}

/// A value has no guard, so this optimises to nothing: only where all that is asked is whether there is one, as rustc
/// otherwise keeps a copy for each of many values. What is done for a guard is a call that is not inlined.
#[cfg(feature = "cudarc")]
impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.sync.is_some() {
            record_use(self.sync.take(), self.recorded);
        }
    }
}

/// An event is recorded only on a stream of its own context, which cudarc compares. That of another GPU's memory is recorded on the
/// default stream there, behind what this launch's stream has been given.
#[cfg(feature = "cudarc")]
#[cold]
fn record_elsewhere(
    event: &CudaEvent,
    stream: &CudaStream,
    error: DriverError,
) -> Result<(), DriverError> {
    if event.context() == stream.context() {
        return Err(error);
    }
    let there = event.context().default_stream();
    let recorded = there.join(stream).and_then(|()| event.record(&there));
    // A launch leaves its own context current.
    recorded.and(stream.context().bind_to_thread())
}

/// Records that the launch has been enqueued. An event that this launch has recorded just before is recorded no more.
#[cfg(feature = "cudarc")]
#[inline(never)]
fn record_use(sync: Option<SyncOnDrop<'_>>, recorded: Option<&Recorded>) {
    let sync = ManuallyDrop::new(sync);
    match *sync {
        // What the drop of a `SyncOnDrop` does, which itself is left out.
        Some(SyncOnDrop::Record(Some((event, stream)))) => {
            let context = stream.context();
            if context.is_managing_stream_synchronization()
                && recorded.is_none_or(|recorded| recorded.insert(event.cu_event()))
                && let Err(error) = event.record(stream)
            {
                context.record_err(record_elsewhere(event, stream, error));
            }
        }
        _ => drop(ManuallyDrop::into_inner(sync)),
    }
}
