//! The stream of one launch, for the arguments that are lowered.

#[cfg(feature = "observe")]
use super::Lengths;
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
#[cfg(feature = "graphs")]
use {
    super::held_slices::HeldSlices,
    cudarc::driver::{DevicePtr, sys::CUdeviceptr},
};

/// The slices that a sequence holds. Without sequences no launch has them.
#[cfg(feature = "graphs")]
pub(crate) type Held<'h> = &'h HeldSlices;
#[cfg(all(feature = "cudarc", not(feature = "graphs")))]
pub(crate) type Held<'h> = core::convert::Infallible;

/// The stream of one launch: an argument of [`KernelArg::lower`](super::KernelArg::lower).
///
/// For a cudarc slice, this stream waits for other streams that use the memory, and records its own use of the memory.
pub struct LaunchStream<'k> {
    #[cfg(feature = "cudarc")]
    stream: Option<&'k CudaStream>,
    /// The context of a launch without a stream; null if the context of the first argument is used.
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
    /// For a launch in a sequence: the slices that it can use.
    #[cfg(feature = "graphs")]
    held: Option<&'k HeldSlices>,
    /// Where the lengths of the slices are noted; nothing is lowered then.
    #[cfg(feature = "observe")]
    lengths: Option<&'k Lengths>,
    launch: PhantomData<&'k ()>,
}

impl<'k> LaunchStream<'k> {
    /// A launch without a stream: an argument uses the default stream of its own context.
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
            #[cfg(feature = "graphs")]
            held: None,
            #[cfg(feature = "observe")]
            lengths: None,
            launch: PhantomData,
        }
    }

    /// A launch on `stream`, which waits for the work on other streams that its arguments depend on.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn on(stream: &'k CudaStream) -> Self {
        Self { stream: Some(stream), ..Self::untracked() }
    }

    /// A launch of a sequence, which uses only memory of the slices that the sequence holds. It neither waits for other streams nor
    /// records its use: the sequence does so once for each slice.
    #[cfg(feature = "graphs")]
    #[inline]
    pub(crate) fn in_sequence(held: &'k HeldSlices) -> Self {
        Self { held: Some(held), ..Self::untracked() }
    }

    /// A launch on the default stream of `context`. If `context` is null, the context of the first argument is used.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn in_context(context: CUcontext) -> Self {
        Self { context, ..Self::untracked() }
    }

    /// Notes the length of each slice whose context is checked.
    #[cfg(feature = "observe")]
    pub(super) fn noting(lengths: &'k Lengths) -> Self {
        Self {
            // No context has this handle, so each slice is noted by the code for a different context.
            context: ptr::without_provenance_mut(1),
            lengths: Some(lengths),
            ..Self::untracked()
        }
    }

    /// Declares that the argument's memory belongs to `context`: [`KernelArg::check_context`] calls it before any argument
    /// is lowered. An argument that belongs to a different context than the launch is rejected before the driver is called.
    ///
    /// [`KernelArg::check_context`]: super::KernelArg::check_context
    #[cfg(feature = "cudarc")]
    #[inline]
    pub fn check_context(&self, context: &Arc<CudaContext>) {
        if !self.is_in(context) {
            self.mark_foreign(context);
        }
    }

    /// Same as [`check_context`](Self::check_context), for a slice that is used in `context`.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn check_slice(&self, context: &Arc<CudaContext>, elements: impl Fn() -> usize) {
        if !self.is_in(context) {
            #[cfg(feature = "observe")]
            if let Some(lengths) = self.lengths {
                return lengths.note(self.field.get(), elements());
            }
            #[cfg(not(feature = "observe"))]
            drop(elements);
            self.mark_foreign(context);
        }
    }

    /// Whether the launch is in `context`.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    fn is_in(&self, context: &Arc<CudaContext>) -> bool {
        match self.stream {
            Some(stream) => is_of(stream, context),
            None if self.context.is_null() => self.default_stream.of(context).context().cu_ctx() == context.cu_ctx(),
            None => self.context == context.cu_ctx(),
        }
    }

    /// The stream of this launch, for an argument that belongs to `context`. If the launch has no stream, it is the default
    /// stream of `context`.
    ///
    /// A launch in a [`Sequence`](crate::sequence::Sequence) is rejected after this call: it does not know which memory the argument
    /// uses.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub fn stream(&self, context: &Arc<CudaContext>) -> &CudaStream {
        match self.stream_or_held(context) {
            Ok(stream) => stream,
            #[cfg(feature = "graphs")]
            Err(held) => {
                held.mark_not_held(self.field.get(), None);
                held.stream()
            }
        }
    }

    /// Same as [`stream`](Self::stream), or the slices that a sequence holds. A launch on a stream reads only that field.
    #[cfg(feature = "cudarc")]
    #[cfg_attr(not(feature = "graphs"), expect(clippy::unnecessary_wraps, reason = "only sequences hold slices"))]
    #[inline(always)]
    pub(crate) fn stream_or_held(&self, context: &Arc<CudaContext>) -> Result<&CudaStream, Held<'_>> {
        if let Some(stream) = self.stream {
            if !is_of(stream, context) {
                self.mark_foreign(context);
            }
            self.tracked.set(true);
            return Ok(stream);
        }
        #[cfg(feature = "graphs")]
        if let Some(held) = self.held {
            return Err(held);
        }
        self.check_context(context);
        self.tracked.set(true);
        Ok(self.default_stream.of(context))
    }

    /// Keeps `memory` allocated until the run is enqueued, for a launch in a sequence.
    #[cfg(feature = "graphs")]
    #[inline(always)]
    pub(crate) fn keep(&self, memory: &Arc<dyn Send + Sync>) {
        if let Some(held) = self.held {
            held.keep(memory);
        }
    }

    /// The launch uses an object. For a launch in a sequence, the sequence keeps it, and records its use.
    #[cfg(feature = "textures")]
    #[inline]
    pub(crate) fn track<'s, T: super::Tracked>(&'s self, object: &'s Arc<T>, writes: bool) -> Guard<'s> {
        match self.stream_or_held(object.context()) {
            Ok(stream) => self.guard(object.enter(stream, writes)),
            #[cfg(feature = "graphs")]
            Err(held) => {
                held.track(object, writes, self.field.get());
                Guard::NONE
            }
        }
    }

    /// The address of `memory`, for a launch in a sequence. If the sequence does not hold the memory, the field is marked.
    #[cfg(feature = "graphs")]
    #[inline(always)]
    pub(crate) fn held_address<T>(&self, held: &HeldSlices, memory: &impl DevicePtr<T>) -> CUdeviceptr {
        // No reference to `self` is passed: it would then be in memory in every launch.
        held.address(memory, self.field.get())
    }

    /// The context of the arguments, if an argument has declared it.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn context(&self) -> Option<&Arc<CudaContext>> {
        let stream = self.stream.or_else(|| self.default_stream.get())?;
        Some(stream.context())
    }

    /// A guard that records the same event as `sync`, unless the previous guard has already recorded it: arguments can be views of
    /// one buffer.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub(crate) fn guard<'s>(&'s self, sync: SyncOnDrop<'s>) -> Guard<'s> {
        Guard { sync: ManuallyDrop::new(Some(sync)), recorded: Some(&self.recorded), argument: PhantomData }
    }

    /// The error of a wait or of an event record that cudarc could not return. cudarc stores it in the context of the stream.
    ///
    /// It is called directly before the launch. From then on, events that guards record are remembered and not recorded twice. An
    /// event that was recorded earlier does not include this launch.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn check(&self) -> Result<(), DriverError> {
        if !self.tracked.get() {
            return Ok(());
        }
        self.recorded.begin();
        self.context().map_or(Ok(()), |context| context.check_err())
    }

    /// Stores which field is being checked or lowered, for error messages.
    #[inline]
    pub(crate) fn enter(&self, field: usize) {
        self.field.set(field);
    }

    /// Stores that the current field belongs to the context `argument`, which is not the context of the launch.
    ///
    /// It passes no reference to `self` to a function that is not inlined: `self` would then be in memory in every launch.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    fn mark_foreign(&self, argument: &CudaContext) {
        if self.foreign.get().is_none() {
            self.foreign.set(Some((self.field.get(), name_of(argument))));
        }
    }

    /// The first field that belongs to a different context than the launch, and both contexts.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub(crate) fn foreign(&self) -> Option<Foreign> {
        let (field, argument) = self.foreign.get()?;
        // The context that `argument` was compared with.
        let launch = match self.context() {
            Some(context) if self.context.is_null() => name_of(context),
            _ => ContextName::of_handle(self.context, None),
        };
        Some(Foreign { field, argument, launch })
    }
}

#[cfg(feature = "cudarc")]
#[inline(always)]
fn is_of(stream: &CudaStream, context: &Arc<CudaContext>) -> bool {
    Arc::ptr_eq(stream.context(), context) || stream.context().cu_ctx() == context.cu_ctx()
}

/// The name of a context. It is not inlined: only errors need it.
#[cfg(feature = "cudarc")]
#[cold]
#[inline(never)]
fn name_of(context: &CudaContext) -> ContextName {
    ContextName::of(context)
}

/// The default stream of a launch without a stream. The first argument that needs it creates it.
///
/// It is moved out before it is dropped. A drop in place would take the address of the `LaunchStream`: the compiler would then
/// keep the `LaunchStream` in memory in every launch.
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

/// The last event that a guard has recorded since the launch. One event is enough for consecutive arguments that are views of one
/// buffer. An older event is recorded again, which only costs time.
#[cfg(feature = "cudarc")]
struct Recorded(Cell<CUevent>);

#[cfg(feature = "cudarc")]
impl Recorded {
    /// The value before the launch. After the launch, the value is null until an event is recorded.
    const BEFORE_LAUNCH: CUevent = ptr::without_provenance_mut(1);

    const fn new() -> Self {
        Self(Cell::new(Self::BEFORE_LAUNCH))
    }

    /// Called directly before the launch is enqueued.
    #[inline]
    fn begin(&self) {
        self.0.set(ptr::null_mut());
    }

    /// Whether the caller must record this event.
    fn insert(&self, event: CUevent) -> bool {
        let last = self.0.get();
        if last != Self::BEFORE_LAUNCH {
            self.0.set(event);
        }
        last != event
    }
}

/// Records the use of the argument's memory when it is dropped, after the launch has been enqueued.
///
/// All arguments have the same guard type. With an associated type, rustc would report two errors for a field that cannot be
/// passed.
#[must_use = "dropping it records that the launch has been enqueued"]
pub struct Guard<'s> {
    #[cfg(feature = "cudarc")]
    sync: ManuallyDrop<Option<SyncOnDrop<'s>>>,
    /// The last recorded event of this launch; `None` for a guard that was created without a [`LaunchStream`].
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

    /// Whether the drop does nothing.
    #[cfg(feature = "cudarc")]
    pub(super) fn is_none(&self) -> bool {
        self.sync.is_none()
    }

    /// For cudarc's device memory: its use is recorded after the launch has been enqueued.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub fn new(sync: SyncOnDrop<'s>) -> Self {
        Self { sync: ManuallyDrop::new(Some(sync)), recorded: None, argument: PhantomData }
    }
}

/// For a value, the compiler removes this drop. This requires that the inlined code only tests whether the guard does something:
/// with more code, rustc keeps a copy for each of many values. `record_use` is therefore not inlined.
#[cfg(feature = "cudarc")]
impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.sync.is_some() {
            record_use(self.sync.take(), self.recorded);
        }
    }
}

/// Records an event of a different context. cudarc records an event only on a stream of the event's own context. The event for the
/// memory of a second GPU is therefore recorded on the default stream of that GPU, after that stream has joined the launch's stream.
#[cfg(feature = "cudarc")]
#[cold]
fn record_elsewhere(event: &CudaEvent, stream: &CudaStream, error: DriverError) -> Result<(), DriverError> {
    if event.context() == stream.context() {
        return Err(error);
    }
    let event_stream = event.context().default_stream();
    let recorded = event_stream.join(stream).and_then(|()| event.record(&event_stream));
    // After a launch, the context of the launch is current.
    recorded.and(stream.context().bind_to_thread())
}

/// Records an event after the launch has been enqueued, unless it is the event that was recorded last.
#[cfg(feature = "cudarc")]
#[inline(never)]
fn record_use(sync: Option<SyncOnDrop<'_>>, recorded: Option<&Recorded>) {
    let sync = ManuallyDrop::new(sync);
    match *sync {
        // This replaces the drop of a `SyncOnDrop`.
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
