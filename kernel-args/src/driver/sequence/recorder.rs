use crate::{
    driver::{
        config::{AsStream, RunRecord, StreamTarget},
        error::{ContextError, ContextMismatch, Error, LaunchError},
    },
    interop::{Hold, Slices},
    marshal::{Access, ContextName, HeldMemory},
};
use core::{fmt, marker::PhantomData};
use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr, ValidAsZeroBits};
use std::{boxed::Box, sync::Arc};

/// Records the launches of one run of a [`Sequence`](super::Sequence): the stream of its launches, `stream = s`.
///
/// ```no_run
/// # use kernel_args::{Error, Kernel, KernelArgs, launch, sequence::Sequence};
/// # use cudarc::driver::CudaSlice;
/// # #[derive(KernelArgs)]
/// # struct Scale<'a> { n: u32, factor: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
/// # fn example(step: &mut Sequence, scale: &Kernel<Scale<'_>>, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
/// step.run(|s| {
///     let (x, mut y) = (s.hold(x)?, s.hold(y)?);
///     s.memset_zeros(&mut y)?;
///     // SAFETY: both slices have 1024 elements.
///     unsafe { launch!(scale, 4, 256, Scale { n: 1024, factor: 2.0, x, y: &mut y }, stream = s) }
/// })?;
/// # Ok(())
/// # }
/// ```
pub struct Recorder<'s, 'env: 's> {
    recording: &'s RunRecord,
    /// Both lifetimes are invariant, so a slice that is held for `'s` cannot have a shorter borrow.
    lifetimes: PhantomData<&'s mut &'env ()>,
    invariant: PhantomData<fn(&'s ()) -> &'s ()>,
}

impl<'s> Recorder<'s, '_> {
    pub(super) fn new(recording: &'s RunRecord) -> Self {
        Self { recording, lifetimes: PhantomData, invariant: PhantomData }
    }

    /// Holds a slice until the run is enqueued: launches of this run can use its memory, and views of it.
    ///
    /// `hold(&x)` returns `&x`, for kernels that read the memory. `hold(&mut y)` returns a [`Held`](crate::sequence::Held), which derefs to
    /// the slice: kernels read it as `&y` and write it as `&mut y`. The slice stays borrowed, so the closure cannot drop it. Held slices can
    /// be exchanged: a launch uses the slice that its reference refers to. A run is an error if the closure has replaced a held slice by one
    /// that is not held.
    ///
    /// The stream waits for earlier work of other streams on the slice, and records the run as its use, as for a plain launch.
    /// Both happen once for each held slice.
    ///
    /// # Errors
    /// [`Error::Context`] if the slice belongs to a different context than the stream.
    #[track_caller]
    pub fn hold<H: Hold<'s>>(&'s self, slice: H) -> Result<H::Held, Error> {
        let stream = self.recording.stream();
        if slice.context().cu_ctx() != stream.context().cu_ctx() {
            let contexts = ContextMismatch::new(ContextName::of(stream.context()), ContextName::of(slice.context()));
            return Err(Error::Context(ContextError::ForeignSlice(Box::new(contexts))));
        }
        Ok(slice.hold(Slices::new(&self.recording.held), stream))
    }

    /// Sets all bytes of a held slice to zero, in the order of the launches.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run does not hold the slice.
    pub fn memset_zeros<T: DeviceRepr + ValidAsZeroBits>(&self, slice: &mut CudaSlice<T>) -> Result<(), Error> {
        let to = self.memory(slice, "memset_zeros", "slice")?;
        if to.bytes() > 0 {
            self.recording.log.borrow_mut().push_memset(to, 0);
            self.uses(&[(to, true)], to.bytes());
        }
        Ok(())
    }

    /// Copies all elements of a held slice to the beginning of a second held slice, in the order of the launches.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run does not hold both slices, or if `to` has fewer elements than `from`.
    pub fn memcpy_dtod<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut CudaSlice<T>) -> Result<(), Error> {
        if to.len() < from.len() {
            return Err(Error::Launch(LaunchError::TooShort { from: from.len(), to: to.len() }));
        }
        let from = self.memory(from, "memcpy_dtod", "from")?;
        let to = self.memory(to, "memcpy_dtod", "to")?;
        if from.bytes() > 0 {
            self.recording.log.borrow_mut().push_copy(to, from);
            self.uses(&[(from, false), (to, true)], from.bytes());
        }
        Ok(())
    }

    /// Adds a step with accesses to the first bytes of this memory, which is written or not.
    fn uses(&self, accesses: &[(HeldMemory, bool)], bytes: usize) {
        if self.recording.held.notes_uses {
            let accesses = accesses.iter().map(|&(memory, writes)| Access { address: memory.address(), bytes, writes });
            self.recording.held.steps.borrow_mut().add(accesses);
        }
    }

    fn memory<T>(&self, slice: &CudaSlice<T>, method: &str, parameter: &'static str) -> Result<HeldMemory, Error> {
        let held = &self.recording.held;
        held.within(|| {
            held.memory(slice, 0).map_err(|_| {
                Error::Launch(LaunchError::NotHeld {
                    kernel: method.into(),
                    field: parameter.into(),
                    replaces: held.take_not_held().and_then(|not_held| not_held.replaces),
                })
            })
        })
    }

    /// The stream on which the run will be enqueued. Work that the closure enqueues on it runs before all launches of the run.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.recording.stream()
    }
}

impl AsStream for Recorder<'_, '_> {
    #[inline(always)]
    fn target(&self) -> StreamTarget<'_> {
        StreamTarget { stream: self.recording.stream(), recording: Some(self.recording) }
    }
}

impl fmt::Debug for Recorder<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.recording.fmt(f)
    }
}
