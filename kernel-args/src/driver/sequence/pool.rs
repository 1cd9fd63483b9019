//! Memory of sequences and of plain launches.

use super::{Run, Sequence};
use crate::{
    driver::{
        api::{alloc_bytes, declare_slice},
        context::uncaptured,
        error::{Error, RunError},
    },
    memory::{MemoryUse, NoMemory, PoolMemory, PoolSlice},
};
use bytemuck::AnyBitPattern;
use core::fmt;
use cudarc::driver::{
    CudaStream, DeviceRepr, DriverError, ValidAsZeroBits, sys::cudaError_enum::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
};
use std::sync::Arc;

/// Memory for plain launches on one stream, which is used again without calls of the driver.
///
/// A [`Sequence`] has a pool of its own, for [`Run::alloc`].
///
/// ```no_run
/// use kernel_args::sequence::Pool;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// let stream = ctx.new_stream()?;
/// let pool = Pool::new(&stream);
/// for _ in 0..100 {
///     let x = pool.alloc_zeros::<f32>(1024)?;
///     // Launches on `stream` use `&x`.
/// }
/// assert_eq!(pool.memory_use().used, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Pool(Arc<PoolMemory>);

impl Pool {
    /// Creates a pool whose memory is used on `stream`. It allocates from the driver when it is first used.
    #[must_use]
    pub fn new(stream: &Arc<CudaStream>) -> Self {
        Self(PoolMemory::new(stream, alloc_bytes, false, declare_slice()))
    }

    /// Sets the number of bytes that the pool allocates from the driver at most. The default is `isize::MAX`, and so is
    /// a larger limit.
    #[must_use]
    pub fn limit(self, bytes: usize) -> Self {
        self.0.set_limit(bytes);
        self
    }

    /// Returns a slice of `len` elements.
    ///
    /// # Errors
    /// [`RunError::NoMemory`] if the pool would exceed its limit; [`RunError::Capturing`] if it has no free
    /// memory while the stream is being captured; [`Error::Driver`].
    ///
    /// # Safety
    /// Nothing reads an element that was not written.
    pub unsafe fn alloc<T: DeviceRepr + 'static>(&self, len: usize) -> Result<PoolSlice<T>, Error> {
        self.alloc_unset(len)
    }

    /// Returns a slice of `len` elements, whose bytes are zero.
    ///
    /// # Errors
    /// See [`alloc`](Self::alloc); [`RunError::Capturing`] while the stream is being captured; [`Error::Cudarc`].
    pub fn alloc_zeros<T: DeviceRepr + ValidAsZeroBits + 'static>(&self, len: usize) -> Result<PoolSlice<T>, Error> {
        let stream = self.0.stream();
        let zeros = uncaptured(stream, || {
            let mut slice = self.alloc_unset(len)?;
            stream.memset_zeros(&mut *slice)?;
            Ok(slice)
        })?;
        zeros.ok_or(Error::Run(RunError::Capturing { what: "`alloc_zeros` of a pool" }))
    }

    fn alloc_unset<T: 'static>(&self, len: usize) -> Result<PoolSlice<T>, Error> {
        self.0.alloc(&self.0.lock().wait(), len, &|_| ()).map_err(no_memory)
    }

    /// Returns how much memory it has.
    #[must_use]
    pub fn memory_use(&self) -> MemoryUse {
        self.0.memory_use()
    }

    /// Frees the memory that no slice has, in the order of the stream. While the stream is being captured, it frees
    /// nothing.
    pub fn trim(&self) {
        self.0.trim();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pool").field(&self.memory_use()).finish()
    }
}

/// # Memory of the sequence
impl Run {
    /// Returns a slice of `len` elements, for the launches of this run and for later work on its stream.
    ///
    /// When it is dropped, later steps of this run can use the memory again, and later runs. The allocations of equal
    /// runs have the same addresses, so no node of the graph changes. A slice that is not dropped stays allocated, and
    /// can be used after the run.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run cannot record, the pool would exceed its limit ([`RunError::NoMemory`]), or it
    /// has no free memory while the stream is being captured ([`RunError::Capturing`]); [`Error::Driver`].
    ///
    /// # Safety
    /// Nothing reads an element that was not written: neither a step, nor later work. A run that is given up writes
    /// nothing.
    pub unsafe fn alloc<T: DeviceRepr + 'static>(&self, len: usize) -> Result<PoolSlice<T>, Error> {
        self.alloc_unset(len)
    }

    /// Returns a slice that a step of the caller writes before this crate returns it, or whose elements can have any
    /// bytes.
    #[inline]
    pub(super) fn alloc_unset<T: 'static>(&self, len: usize) -> Result<PoolSlice<T>, Error> {
        let recording = self.enter("an allocation")?;
        let slice = recording.pool.alloc(recording.lock(), len, &|range| recording.held.own(range, true));
        self.end_call(&recording);
        slice.map_err(no_memory)
    }

    /// Returns a slice of `len` elements, whose bytes a step of the run sets to zero. If the run is part of a capture,
    /// this happens when the graph is launched.
    ///
    /// # Errors
    /// See [`alloc`](Self::alloc).
    pub fn alloc_zeros<T: DeviceRepr + ValidAsZeroBits + AnyBitPattern>(
        &self,
        len: usize,
    ) -> Result<PoolSlice<T>, Error> {
        // Until the run is enqueued, the elements have other bytes: `T` has no invalid values.
        let mut slice = self.alloc_unset(len)?;
        self.set_zeros(&mut slice)?;
        Ok(slice)
    }

    /// [`alloc_zeros`](Self::alloc_zeros) for generic code.
    ///
    /// # Errors
    /// See [`alloc`](Self::alloc).
    ///
    /// # Safety
    /// Zeros are a value of `T`. Nothing reads the slice before the run is enqueued, and a run that is given up writes
    /// nothing.
    pub unsafe fn alloc_zeros_unchecked<T: DeviceRepr + 'static>(&self, len: usize) -> Result<PoolSlice<T>, Error> {
        let mut slice = self.alloc_unset(len)?;
        self.set_zeros(&mut slice)?;
        Ok(slice)
    }
}

/// # Memory of the sequence
impl Sequence {
    /// Sets the number of bytes that the sequence allocates from the driver at most, for [`Run::alloc`].
    #[must_use]
    pub fn memory_limit(self, bytes: usize) -> Self {
        self.shared.pool.set_limit(bytes);
        self
    }

    /// Returns how much memory it has for [`Run::alloc`].
    #[must_use]
    pub fn memory_use(&self) -> MemoryUse {
        self.shared.pool.memory_use()
    }

    /// Frees the memory that no slice has, behind the runs. The next run gets other addresses.
    ///
    /// # Errors
    /// [`Error::Launch`] if a run of this sequence is not over.
    pub fn trim(&mut self) -> Result<(), Error> {
        let recording = self.idle()?;
        recording.pool.trim().into_iter().for_each(|range| recording.held.disown(range));
        Ok(())
    }
}

#[cold]
pub(super) fn no_memory(why: NoMemory) -> Error {
    match why {
        NoMemory::Driver(DriverError(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)) => {
            Error::Run(RunError::Capturing { what: "an allocation of a pool without free memory" })
        }
        NoMemory::Limit { requested, limit } => Error::Run(RunError::NoMemory { requested, limit }),
        NoMemory::Driver(error) => {
            Error::cudarc("cuMemAllocAsync or cuMemAlloc, or an earlier call in this context,", error)
        }
    }
}
