//! The surroundings of one launch, as its arguments see them while they are lowered.

use core::{cell::Cell, marker::PhantomData};
#[cfg(feature = "cudarc")]
use {
    core::{cell::OnceCell, mem::ManuallyDrop},
    cudarc::driver::{CudaContext, CudaStream},
    std::sync::Arc,
};

/// The surroundings of one launch: the stream that it goes to, and what its arguments had to say.
///
/// An argument that lives on a stream of its own (a cudarc slice) waits for it here and records its use.
pub struct LaunchStream<'k> {
    #[cfg(feature = "cudarc")]
    stream: Option<&'k CudaStream>,
    #[cfg(feature = "cudarc")]
    default_stream: DefaultStream,
    field: Cell<usize>,
    foreign: Cell<Option<usize>>,
    #[cfg(feature = "cudarc")]
    tracked: Cell<bool>,
    launch: PhantomData<&'k ()>,
}

impl<'k> LaunchStream<'k> {
    /// A scope for arguments that are tracked by nobody: the caller orders the work.
    #[must_use]
    #[inline]
    pub fn untracked() -> Self {
        Self {
            #[cfg(feature = "cudarc")]
            stream: None,
            #[cfg(feature = "cudarc")]
            default_stream: DefaultStream::new(),
            field: Cell::new(0),
            foreign: Cell::new(None),
            #[cfg(feature = "cudarc")]
            tracked: Cell::new(false),
            launch: PhantomData,
        }
    }

    /// A scope for a launch on `stream`: slices wait for the work on other streams that they depend on.
    #[cfg(feature = "cudarc")]
    #[must_use]
    #[inline]
    pub fn on(stream: &'k CudaStream) -> Self {
        Self {
            stream: Some(stream),
            ..Self::untracked()
        }
    }

    /// The stream of this launch, for an argument that belongs to `context`: where the launch names
    /// none, the default stream of that context.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub fn stream(&self, context: &Arc<CudaContext>) -> &CudaStream {
        let stream = match self.stream {
            Some(stream) => stream,
            None => self.default_stream.of(context),
        };
        if !Arc::ptr_eq(stream.context(), context) && stream.context() != context {
            self.mark_foreign();
        }
        self.tracked.set(true);
        stream
    }

    /// The error of a wait that cudarc could not return when it was enqueued.
    #[cfg(feature = "cudarc")]
    #[inline]
    pub(crate) fn check(&self) -> Result<(), crate::Error> {
        match self.stream {
            Some(stream) if self.tracked.get() => {
                stream.context().check_err().map_err(crate::Error::current)
            }
            _ => Ok(()),
        }
    }

    /// Says which field is being lowered, so that a complaint can name it.
    #[inline]
    pub(crate) fn enter(&self, field: usize) {
        self.field.set(field);
    }

    /// Says that the field being lowered belongs to another context than the launch.
    #[cfg_attr(
        not(feature = "cudarc"),
        expect(dead_code, reason = "only slices belong to a context")
    )]
    #[cold]
    fn mark_foreign(&self) {
        if self.foreign.get().is_none() {
            self.foreign.set(Some(self.field.get()));
        }
    }

    /// The first field that belongs to another context than the launch.
    #[must_use]
    #[inline]
    pub fn foreign(&self) -> Option<usize> {
        self.foreign.get()
    }
}

/// The default stream of a launch that names none, once an argument has asked for it.
///
/// It is moved out before it is dropped. A drop in place would take the scope's address, and then the scope of every
/// launch, which never has one, would stay in memory instead of being optimised away.
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
}

#[cfg(feature = "cudarc")]
impl Drop for DefaultStream {
    #[inline(always)]
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

/// What must live until a launch has been enqueued, and then says so to whoever owns the argument.
///
/// One type for all arguments: an associated type in the signatures that the derive's output calls would have rustc
/// report a field without a form on the device twice.
#[must_use = "dropping it tells the argument's owner that the launch has been enqueued"]
pub struct Guard<'s> {
    #[cfg(feature = "cudarc")]
    sync: ManuallyDrop<Option<cudarc::driver::SyncOnDrop<'s>>>,
    argument: PhantomData<&'s ()>,
}

impl<'s> Guard<'s> {
    /// For an argument that nobody tracks.
    pub const NONE: Self = Self {
        #[cfg(feature = "cudarc")]
        sync: ManuallyDrop::new(None),
        argument: PhantomData,
    };

    /// For a slice of cudarc's: it records the use of the memory when the launch has been enqueued.
    #[cfg(feature = "cudarc")]
    #[inline(always)]
    pub fn new(sync: cudarc::driver::SyncOnDrop<'s>) -> Self {
        Self {
            sync: ManuallyDrop::new(Some(sync)),
            argument: PhantomData,
        }
    }
}

/// Nothing for a value, which has no guard, and a call for the rest: were that call inlined, rustc would keep it for
/// each of many values, too.
#[cfg(feature = "cudarc")]
impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.sync.is_some() {
            enqueued(self.sync.take());
        }
    }
}

#[cfg(feature = "cudarc")]
#[inline(never)]
fn enqueued(sync: Option<cudarc::driver::SyncOnDrop<'_>>) {
    drop(sync);
}
