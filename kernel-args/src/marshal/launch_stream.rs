//! The stream of one launch, for the arguments that are lowered.

use core::{cell::Cell, marker::PhantomData};
#[cfg(feature = "cudarc")]
pub(crate) use on_device::SequenceSlices;
#[cfg(feature = "cudarc")]
use {
    core::mem::ManuallyDrop,
    cudarc::driver::SyncOnDrop,
    on_device::{LastEvent, record_use},
};

/// The stream of one launch: an argument of [`KernelArg::lower`](super::KernelArg::lower).
///
/// For a cudarc slice, this stream waits for other streams that use the memory, and records its own use of the memory.
pub struct LaunchStream<'k> {
    /// The index of the argument that is checked or lowered, for errors.
    field: Cell<usize>,
    #[cfg(feature = "cudarc")]
    on: on_device::OnDevice<'k>,
    launch: PhantomData<&'k ()>,
}

impl LaunchStream<'_> {
    #[cfg(not(feature = "cudarc"))]
    pub(crate) fn untracked() -> Self {
        Self { field: Cell::new(0), launch: PhantomData }
    }

    #[inline]
    pub(crate) fn enter(&self, field: usize) {
        self.field.set(field);
    }
}

#[cfg(feature = "cudarc")]
mod on_device {
    #[cfg(feature = "observe")]
    use super::super::Lengths;
    use super::{Guard, LaunchStream};
    #[cfg(feature = "graphs")]
    use crate::memory::RunMemory;
    use crate::memory::{ContextName, OtherContext};
    use core::{
        cell::{Cell, OnceCell},
        marker::PhantomData,
        mem::ManuallyDrop,
        ptr,
    };
    use cudarc::driver::{
        CudaContext, CudaEvent, CudaStream, DriverError, SyncOnDrop,
        sys::{CUcontext, CUevent},
    };
    #[cfg(feature = "graphs")]
    use cudarc::driver::{DevicePtr, sys::CUdeviceptr};
    use std::sync::Arc;

    /// The memory of a run of a sequence. Without sequences no launch has it.
    #[cfg(feature = "graphs")]
    pub(crate) type SequenceSlices<'h> = &'h RunMemory;
    #[cfg(not(feature = "graphs"))]
    pub(crate) type SequenceSlices<'h> = core::convert::Infallible;

    pub(super) struct OnDevice<'k> {
        /// The stream of most launches. Not in `Unnamed`: a slice then costs one check.
        named: Option<&'k CudaStream>,
        unnamed: Unnamed<'k>,
        /// Not in `Unnamed`, whose drop would then not be inlined.
        default_stream: DefaultStream,
        other_context: Cell<Option<(usize, ContextName)>>,
        tracked: Cell<bool>,
        recorded: LastEvent,
    }

    /// What arguments are lowered for without a named stream. A launch of values alone passes no reference to a
    /// function that is not inlined, so the `LaunchStream` is not in memory.
    #[derive(Clone, Copy)]
    enum Unnamed<'k> {
        /// The default stream of this context; of the context of the first argument if it is null.
        Default(CUcontext, PhantomData<&'k ()>),
        /// A launch of a sequence, which waits for other streams and records the use of its slices itself, once for
        /// each.
        #[cfg(feature = "graphs")]
        Sequence(&'k RunMemory),
        /// Nothing is lowered: the length of each slice whose context is checked is noted.
        #[cfg(feature = "observe")]
        Lengths(&'k Lengths),
    }

    impl<'k> LaunchStream<'k> {
        #[inline(always)]
        fn new(named: Option<&'k CudaStream>, unnamed: Unnamed<'k>) -> Self {
            let on = OnDevice {
                named,
                unnamed,
                default_stream: DefaultStream::new(),
                other_context: Cell::new(None),
                tracked: Cell::new(false),
                recorded: LastEvent::new(),
            };
            Self { field: Cell::new(0), on, launch: PhantomData }
        }

        #[inline]
        pub(crate) fn untracked() -> Self {
            Self::in_context(ptr::null_mut())
        }

        #[inline]
        pub(crate) fn on(stream: &'k CudaStream) -> Self {
            Self::new(Some(stream), Unnamed::Default(ptr::null_mut(), PhantomData))
        }

        #[cfg(feature = "graphs")]
        #[inline]
        pub(crate) fn in_sequence(held: &'k RunMemory) -> Self {
            Self::new(None, Unnamed::Sequence(held))
        }

        /// Returns a launch on the default stream of `context`. If `context` is null, the context of the first argument
        /// is used.
        #[inline]
        pub(crate) fn in_context(context: CUcontext) -> Self {
            Self::new(None, Unnamed::Default(context, PhantomData))
        }

        /// No argument belongs to it: [`foreign_field`](Self::foreign_field) is the first one with memory of a
        /// context.
        #[cfg(feature = "graphs")]
        pub(crate) fn in_no_context() -> Self {
            Self::in_context(ptr::without_provenance_mut(1))
        }

        #[cfg(feature = "graphs")]
        pub(crate) fn foreign_field(&self) -> Option<usize> {
            self.on.other_context.get().map(|(field, _)| field)
        }

        #[cfg(feature = "observe")]
        pub(in crate::marshal) fn noting(lengths: &'k Lengths) -> Self {
            Self::new(None, Unnamed::Lengths(lengths))
        }

        /// Declares that the argument's memory belongs to `context`: [`KernelArg::check_context`] calls it before any
        /// argument is lowered. An argument that belongs to a different context than the launch is rejected before the
        /// driver is called.
        ///
        /// [`KernelArg::check_context`]: crate::KernelArg::check_context
        #[inline]
        pub fn check_context(&self, context: &Arc<CudaContext>) {
            if !self.on.named.is_some_and(|stream| is_of(stream, context)) {
                self.check_otherwise(context);
            }
        }

        /// Not inlined: the code of a slice then needs fewer registers.
        #[cold]
        #[inline(never)]
        fn check_otherwise(&self, context: &Arc<CudaContext>) {
            let is_own = match (self.on.named, self.on.unnamed) {
                (Some(_), _) => false,
                (None, Unnamed::Default(own, _)) if own.is_null() => is_of(self.on.default_stream.of(context), context),
                (None, Unnamed::Default(own, _)) => own == context.cu_ctx(),
                #[cfg(feature = "graphs")]
                (None, Unnamed::Sequence(_)) => true,
                #[cfg(feature = "observe")]
                (None, Unnamed::Lengths(_)) => true,
            };
            if !is_own && self.on.other_context.get().is_none() {
                self.on.other_context.set(Some((self.field.get(), name_of(context))));
            }
        }

        /// [`check_context`](Self::check_context) for a slice with these elements.
        #[inline]
        pub(crate) fn check_slice(&self, context: &Arc<CudaContext>, elements: impl Fn() -> usize) {
            match (self.on.named, self.on.unnamed) {
                #[cfg(feature = "observe")]
                (None, Unnamed::Lengths(lengths)) => lengths.note(self.field.get(), elements()),
                _ => {
                    let _ = elements;
                    self.check_context(context);
                }
            }
        }

        /// Returns the stream of this launch, for an argument that belongs to `context`. If the launch has no stream,
        /// it is the default stream of `context`.
        ///
        /// A launch in a [`Sequence`](crate::sequence::Sequence) is rejected after this call: it does not know which
        /// memory the argument uses.
        #[inline]
        pub fn stream(&self, context: &Arc<CudaContext>) -> &CudaStream {
            match self.stream_or_held(context) {
                Ok(stream) => stream,
                #[cfg(feature = "graphs")]
                Err(held) => {
                    held.use_unknown(self.field.get());
                    held.stream()
                }
            }
        }

        #[cfg_attr(not(feature = "graphs"), expect(clippy::unnecessary_wraps, reason = "only sequences hold slices"))]
        #[inline(always)]
        pub(crate) fn stream_or_held(&self, context: &Arc<CudaContext>) -> Result<&CudaStream, SequenceSlices<'_>> {
            if let Some(stream) = self.on.named {
                if !is_of(stream, context) {
                    self.check_otherwise(context);
                }
                self.on.tracked.set(true);
                return Ok(stream);
            }
            #[cfg(feature = "graphs")]
            if let Unnamed::Sequence(held) = self.on.unnamed {
                return Err(held);
            }
            Ok(self.unnamed_stream(context))
        }

        #[cold]
        #[inline(never)]
        fn unnamed_stream(&self, context: &Arc<CudaContext>) -> &CudaStream {
            self.check_otherwise(context);
            self.on.tracked.set(true);
            self.on.default_stream.of(context)
        }

        /// Keeps `memory` allocated until the run is enqueued, for a launch in a sequence.
        #[cfg(feature = "graphs")]
        #[inline(always)]
        pub(crate) fn retain(&self, memory: &Arc<dyn Send + Sync>) {
            if let Unnamed::Sequence(held) = self.on.unnamed {
                held.retain(memory);
            }
        }

        /// In a sequence, the sequence keeps the object, and records its use.
        #[cfg(feature = "textures")]
        #[inline]
        pub(crate) fn track<'s, T: crate::memory::Tracked>(&'s self, object: &'s Arc<T>, writes: bool) -> Guard<'s> {
            match self.stream_or_held(object.context()) {
                Ok(stream) => self.guard(object.enter(stream, writes)),
                #[cfg(feature = "graphs")]
                Err(held) => {
                    held.track(object, writes, self.field.get());
                    Guard::NONE
                }
            }
        }

        /// Returns the address of `memory`, for a launch in a sequence. If the sequence does not hold the memory, the
        /// field is marked.
        #[cfg(feature = "graphs")]
        #[inline(always)]
        pub(crate) fn held_address<T>(&self, held: &RunMemory, memory: &impl DevicePtr<T>) -> CUdeviceptr {
            held.address(memory, self.field.get())
        }

        /// Returns the context of the arguments, if an argument has declared it.
        #[inline]
        pub(crate) fn context(&self) -> Option<&Arc<CudaContext>> {
            let stream = self.on.named.or_else(|| self.on.default_stream.0.get().map(|stream| &**stream))?;
            Some(stream.context())
        }

        /// Returns a guard that records the same event as `sync`, unless the previous guard has recorded it.
        #[inline(always)]
        pub(crate) fn guard<'s>(&'s self, sync: SyncOnDrop<'s>) -> Guard<'s> {
            Guard { sync: ManuallyDrop::new(Some(sync)), recorded: Some(&self.on.recorded), argument: PhantomData }
        }

        /// The error of a wait or of an event record that cudarc could not return. cudarc stores it in the context of
        /// the stream.
        ///
        /// It is called directly before the launch: an event that was recorded earlier does not include it.
        #[inline]
        pub(crate) fn check(&self) -> Result<(), DriverError> {
            if !self.on.tracked.get() {
                return Ok(());
            }
            self.on.recorded.begin();
            self.context().map_or(Ok(()), |context| context.check_err())
        }

        /// If not, [`other_context`](Self::other_context) returns `None`.
        #[inline(always)]
        pub(crate) fn may_have_other_context(&self) -> bool {
            self.on.other_context.get().is_some()
        }

        /// Returns the first field that belongs to a different context than the launch, and both contexts.
        #[inline(always)]
        pub(crate) fn other_context(&self) -> Option<OtherContext> {
            let (field, argument) = self.on.other_context.get()?;
            let launch = match (self.on.unnamed, self.context()) {
                (Unnamed::Default(own, _), _) if !own.is_null() => ContextName::of_handle(own, None),
                // The context that `argument` was compared with.
                (_, Some(context)) => name_of(context),
                _ => return None,
            };
            Some(OtherContext { field, argument, launch })
        }
    }

    #[inline(always)]
    fn is_of(stream: &CudaStream, context: &Arc<CudaContext>) -> bool {
        Arc::ptr_eq(stream.context(), context) || stream.context().cu_ctx() == context.cu_ctx()
    }

    /// Not inlined: only errors need it.
    #[cold]
    #[inline(never)]
    fn name_of(context: &CudaContext) -> ContextName {
        ContextName::of(context)
    }

    /// The default stream of a launch without a stream. The first argument that needs it creates it.
    ///
    /// It is moved out before it is dropped: a drop in place would take the address of the `LaunchStream`.
    struct DefaultStream(ManuallyDrop<OnceCell<Arc<CudaStream>>>);

    impl DefaultStream {
        const fn new() -> Self {
            Self(ManuallyDrop::new(OnceCell::new()))
        }

        fn of(&self, context: &Arc<CudaContext>) -> &CudaStream {
            self.0.get_or_init(|| context.default_stream())
        }
    }

    impl Drop for DefaultStream {
        #[inline(always)]
        fn drop(&mut self) {
            drop(self.0.take());
        }
    }

    /// The last event that a guard has recorded since the launch: consecutive arguments can be views of one buffer.
    pub(super) struct LastEvent(Cell<CUevent>);

    impl LastEvent {
        /// After the launch, the value is null until an event is recorded.
        const BEFORE_LAUNCH: CUevent = ptr::without_provenance_mut(1);

        const fn new() -> Self {
            Self(Cell::new(Self::BEFORE_LAUNCH))
        }

        #[inline]
        fn begin(&self) {
            self.0.set(ptr::null_mut());
        }

        fn insert(&self, event: CUevent) -> bool {
            let last = self.0.get();
            if last != Self::BEFORE_LAUNCH {
                self.0.set(event);
            }
            last != event
        }
    }

    /// Records an event of a different context, which cudarc does only on a stream of that context: on its default
    /// stream, after that has joined the launch's stream.
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

    #[inline(never)]
    pub(super) fn record_use(sync: Option<SyncOnDrop<'_>>, recorded: Option<&LastEvent>) {
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
}

/// Records the use of the argument's memory when it is dropped, after the launch has been enqueued.
///
/// It is no associated type: rustc would report two errors for a field that cannot be passed.
#[must_use = "dropping it records that the launch has been enqueued"]
pub struct Guard<'s> {
    #[cfg(feature = "cudarc")]
    sync: ManuallyDrop<Option<SyncOnDrop<'s>>>,
    /// The last recorded event of this launch; `None` for a guard that was created without a [`LaunchStream`].
    #[cfg(feature = "cudarc")]
    recorded: Option<&'s LastEvent>,
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

/// For a value, the compiler removes this drop, but only if the inlined code is no more than a test. So `record_use` is
/// not inlined.
#[cfg(feature = "cudarc")]
impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.sync.is_some() {
            record_use(self.sync.take(), self.recorded);
        }
    }
}
