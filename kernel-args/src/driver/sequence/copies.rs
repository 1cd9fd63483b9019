//! Memsets and copies in the order of the launches.

use super::{
    Run,
    pool::no_memory,
    run::{State, not_held},
};
use crate::{
    driver::{
        context::uncaptured,
        error::{Error, RunError},
        launch::not_recording,
        run::{NotRecording, Recording},
    },
    memory::{Access, DeviceMemory, DeviceMemoryMut, HeldMemory, NoMemory, PoolSlice},
};
use bytemuck::{AnyBitPattern, NoUninit};
use core::{fmt, slice};
use cudarc::driver::{DeviceRepr, DeviceSlice, ValidAsZeroBits};
use std::sync::Arc;

/// # Memsets and copies
/// Slices and views of memory that the run holds or owns. They are steps in the order of the launches.
impl Run {
    /// Sets all bytes to zero.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run does not hold the memory, or cannot record.
    pub fn memset_zeros<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        slice: &mut impl DeviceMemoryMut<T>,
    ) -> Result<(), Error> {
        self.set_zeros(slice)
    }

    /// Zeros are values of `T`, or the caller has promised it.
    pub(super) fn set_zeros<T>(&self, slice: &mut impl DeviceMemoryMut<T>) -> Result<(), Error> {
        let recording = &self.enter("memset_zeros")?;
        let to = memory(recording, slice, "memset_zeros", "slice")?;
        if to.bytes() > 0 {
            recording.log.borrow_mut().push_memset(to, 0);
            uses(recording, &[(to, true)], to.bytes());
            self.end_step(recording);
        }
        Ok(())
    }

    /// Copies all elements of `from` to the beginning of `to`.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run does not hold the memory of both or cannot record, or if `to` has fewer elements
    /// than `from`.
    pub fn memcpy_dtod<T: DeviceRepr>(
        &self,
        from: &impl DeviceMemory<T>,
        to: &mut impl DeviceMemoryMut<T>,
    ) -> Result<(), Error> {
        let recording = &self.enter("memcpy_dtod")?;
        check_len(from.slice().len(), to)?;
        let from = memory(recording, from, "memcpy_dtod", "from")?;
        let to = memory(recording, to, "memcpy_dtod", "to")?;
        if from.bytes() > 0 {
            copy(recording, from, to);
            self.end_step(recording);
        }
        Ok(())
    }

    /// Copies all elements of `from`, memory of the host, to the beginning of `to`. The elements are copied now: the
    /// program can change them.
    ///
    /// They are on the device when the run begins, and the step copies them from there. So a run with other elements
    /// changes no node of the graph.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run does not hold the memory or cannot record, or if `to` has fewer elements than
    /// `from`; [`Error::Driver`]. The run is an error if its stream is being captured when it ends.
    pub fn memcpy_htod<T: DeviceRepr + NoUninit>(
        &self,
        from: &[T],
        to: &mut impl DeviceMemoryMut<T>,
    ) -> Result<(), Error> {
        self.copy_htod(from.len(), bytemuck::cast_slice(from), to)
    }

    /// [`memcpy_htod`](Self::memcpy_htod) for generic code.
    ///
    /// # Errors
    /// See [`memcpy_htod`](Self::memcpy_htod).
    ///
    /// # Safety
    /// The elements have no uninitialised bytes, such as padding.
    pub unsafe fn memcpy_htod_unchecked<T: DeviceRepr>(
        &self,
        from: &[T],
        to: &mut impl DeviceMemoryMut<T>,
    ) -> Result<(), Error> {
        // SAFETY: the slice has these bytes, and the caller guarantees that they are initialised.
        let bytes = unsafe { slice::from_raw_parts(from.as_ptr().cast::<u8>(), size_of_val(from)) };
        self.copy_htod(from.len(), bytes, to)
    }

    /// Copies `from_len` elements with these bytes.
    fn copy_htod<T>(&self, from_len: usize, from: &[u8], to: &mut impl DeviceMemoryMut<T>) -> Result<(), Error> {
        let recording = &self.enter("memcpy_htod")?;
        check_len(from_len, to)?;
        let to = memory(recording, to, "memcpy_htod", "to")?;
        if !from.is_empty() {
            let mut uploads = recording.uploads.borrow_mut();
            let bytes = uploads.push(from, self.stream(), &recording.held);
            let bytes = bytes.map_err(|error| no_memory(NoMemory::Driver(error)))?;
            recording.outside_captures.set(Some(NotRecording::FromHost));
            let from = memory(recording, &bytes, "memcpy_htod", "from")?;
            copy(recording, from, to);
            drop(uploads);
            self.end_step(recording);
        }
        Ok(())
    }

    /// Returns a new slice with these elements: [`alloc`](Self::alloc) and [`memcpy_htod`](Self::memcpy_htod).
    ///
    /// # Errors
    /// See these functions.
    pub fn clone_htod<T: DeviceRepr + NoUninit + AnyBitPattern>(&self, from: &[T]) -> Result<PoolSlice<T>, Error> {
        // Until the run is enqueued, the elements have other bytes: `T` has no invalid values.
        let mut slice = self.alloc_unset(from.len())?;
        self.memcpy_htod(from, &mut slice)?;
        Ok(slice)
    }

    /// [`clone_htod`](Self::clone_htod) for generic code.
    ///
    /// # Errors
    /// See [`clone_htod`](Self::clone_htod).
    ///
    /// # Safety
    /// The elements have no uninitialised bytes, such as padding. Nothing reads the slice before the run is enqueued,
    /// and a run that is given up writes nothing.
    pub unsafe fn clone_htod_unchecked<T: DeviceRepr + 'static>(&self, from: &[T]) -> Result<PoolSlice<T>, Error> {
        let mut slice = self.alloc_unset(from.len())?;
        // SAFETY: the caller guarantees it.
        unsafe { self.memcpy_htod_unchecked(from, &mut slice)? };
        Ok(slice)
    }

    /// Copies all elements of `from` at this place in the order of the launches, for the host: after the run,
    /// [`HostCopy::wait`] returns them.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run does not hold the memory or cannot record; the errors of [`alloc`](Self::alloc).
    /// The run is an error if its stream is being captured when it ends.
    pub fn clone_dtoh<T: DeviceRepr + 'static>(&self, from: &impl DeviceMemory<T>) -> Result<HostCopy<T>, Error> {
        // `HostCopy` reads the elements after the run, which has written all of them.
        let mut slice = self.alloc_unset(from.slice().len())?;
        self.memcpy_dtod(from, &mut slice)?;
        let recording = self.enter("clone_dtoh")?;
        recording.outside_captures.set(Some(NotRecording::ForHost));
        self.end_call(&recording);
        Ok(HostCopy { slice, run: self.0.clone() })
    }
}

/// Elements that a run copies for the host: see [`Run::clone_dtoh`].
pub struct HostCopy<T: 'static> {
    slice: PoolSlice<T>,
    run: Arc<State>,
}

impl<T: DeviceRepr + 'static> HostCopy<T> {
    /// Waits for the run, and returns the elements.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run records or was given up, or the stream is being captured
    /// ([`RunError::Capturing`]); [`Error::Cudarc`] or [`Error::Driver`] if the copy failed.
    pub fn wait(self) -> Result<Vec<T>, Error> {
        if self.run.mode.get().is_none() {
            return Err(not_recording("the copy for the host".into(), NotRecording::NotEnqueued));
        }
        let stream = self.run.record.stream();
        let copied = uncaptured(stream, || Ok(stream.clone_dtoh(&*self.slice)?))?;
        copied.ok_or(Error::Run(RunError::Capturing { what: "`wait` for a copy to the host" }))
    }
}

impl<T: 'static> fmt::Debug for HostCopy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HostCopy").field(&self.slice).finish()
    }
}

fn check_len<T>(from: usize, to: &impl DeviceMemory<T>) -> Result<(), Error> {
    let to = to.slice().len();
    if to < from { Err(Error::Run(RunError::TooShort { from, to })) } else { Ok(()) }
}

fn copy(recording: &Recording, from: HeldMemory, to: HeldMemory) {
    recording.log.borrow_mut().push_copy(to, from);
    uses(recording, &[(from, false), (to, true)], from.bytes());
}

/// Adds a step with accesses to the first bytes of this memory, which is written or not.
fn uses(recording: &Recording, accesses: &[(HeldMemory, bool)], bytes: usize) {
    if recording.held.notes_uses.get() {
        let accesses = accesses.iter().map(|&(memory, writes)| Access { address: memory.address(), bytes, writes });
        recording.held.steps.borrow_mut().add(accesses);
    }
}

fn memory<T>(
    recording: &Recording,
    slice: &impl DeviceMemory<T>,
    method: &str,
    parameter: &'static str,
) -> Result<HeldMemory, Error> {
    let held = &recording.held;
    held.within(|| {
        let found = held.memory(slice.slice(), 0);
        found.map_err(|_| not_held(held, method, parameter.into()))
    })
}
