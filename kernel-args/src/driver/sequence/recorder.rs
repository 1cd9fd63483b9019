//! The recorder that the closure of `Sequence::run` receives.

use super::{Run, run::other_context_slice};
use crate::{
    driver::{
        config::{AsStream, StreamTarget},
        error::Error,
    },
    memory::{ContextName, Hold},
};
use core::{fmt, marker::PhantomData, ops::Deref};

/// Records the launches of one run of a [`Sequence`](super::Sequence): the stream of its launches, `stream = s`.
///
/// It derefs to the [`Run`], whose methods add memory, memsets and copies.
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
    run: &'s Run,
    /// Both lifetimes are invariant, so a slice that is held for `'s` cannot have a shorter borrow. It stays on its
    /// thread.
    lifetimes: PhantomData<(&'s mut &'env (), *const ())>,
    invariant: PhantomData<fn(&'s ()) -> &'s ()>,
}

impl<'s> Recorder<'s, '_> {
    pub(super) fn new(run: &'s Run) -> Self {
        Self { run, lifetimes: PhantomData, invariant: PhantomData }
    }

    /// Holds a slice until the run is enqueued: launches of this run can use its memory, and views of it.
    ///
    /// `hold(&x)` returns `&x`, for kernels that read the memory. `hold(&mut y)` returns a
    /// [`Held`](crate::sequence::Held), which derefs to the slice: kernels read it as `&y` and write it as `&mut y`.
    /// The slice stays borrowed, so the closure cannot drop it. Held slices can be exchanged: a launch uses the slice
    /// that its reference refers to. A run is an error if the closure has replaced a held slice by one that is not
    /// held.
    ///
    /// The stream waits for earlier work of other streams on the slice, and records the run as its use, as for a plain
    /// launch. Both happen once for each held slice.
    ///
    /// # Errors
    /// [`Error::Context`] if the slice belongs to a different context than the stream.
    #[track_caller]
    pub fn hold<H: Hold<'s>>(&'s self, slice: H) -> Result<H::Held, Error> {
        let stream = self.stream();
        if slice.context().cu_ctx() != stream.context().cu_ctx() {
            return Err(other_context_slice(ContextName::of(slice.context()), stream));
        }
        let recording = self.run.enter("a slice")?;
        let held = slice.hold(&recording.held);
        self.run.end_call(&recording);
        Ok(held)
    }
}

impl Deref for Recorder<'_, '_> {
    type Target = Run;

    fn deref(&self) -> &Run {
        self.run
    }
}

impl AsStream for Recorder<'_, '_> {
    #[inline(always)]
    fn target(&self) -> StreamTarget<'_> {
        self.run.target()
    }
}

impl fmt::Debug for Recorder<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run.fmt(f)
    }
}
