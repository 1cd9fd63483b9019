//! Host memory that the copies of a graph write.

use crate::device::DeviceType;
use core::cell::Cell;
use std::sync::Arc;

/// Host memory that a copy in a graph overwrites at each launch, shared by the graph and user code: see
/// [`Graph::add_memcpy_dtoh`](super::Graph::add_memcpy_dtoh).
///
/// A clone refers to the same memory, which stays allocated until the last clone is dropped and all graphs that write
/// it have released it.
///
/// ```no_run
/// use kernel_args::{DevicePointer, graph::{Graph, HostBuffer}};
///
/// # let ctx = kernel_args::context(0)?;
/// # let sums: DevicePointer<f32> = DevicePointer::NULL;
/// let mut graph = Graph::new(&ctx)?;
/// let result = HostBuffer::from(vec![0.0_f32; 4]);
/// graph.add_memcpy_dtoh(&result, sums, &[])?;
/// // After a launch of the graph has finished:
/// // SAFETY: the copied values are floats.
/// let sums = unsafe { result.to_vec() };
/// # drop(sums); Ok::<(), kernel_args::Error>(())
/// ```
pub struct HostBuffer<T: DeviceType>(Arc<[Cell<T>]>);

// SAFETY: only `to_vec` and `as_ptr` reach the elements, and their callers must order the accesses. A device type is
// `Copy`, so the last clone runs no code of it when it frees the memory. `T: Send + Sync` allows copies of the elements
// on any thread.
unsafe impl<T: DeviceType + Send + Sync> Send for HostBuffer<T> {}
// SAFETY: as for `Send`: a shared reference allows no more than `to_vec` and `as_ptr`.
unsafe impl<T: DeviceType + Send + Sync> Sync for HostBuffer<T> {}

impl<T: DeviceType> HostBuffer<T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a pointer to the first element. It is valid for `len` elements while this buffer or a clone is alive.
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        // `Cell<T>` "has the same memory layout" as `T` (`core::cell::Cell`, "Memory layout").
        self.0.as_ptr().cast::<T>().cast_mut()
    }

    /// Returns a copy of the current elements.
    ///
    /// # Safety
    /// During this call nothing writes the buffer, neither a launch of a graph nor a thread. The elements are valid
    /// values of `T`.
    #[must_use]
    pub unsafe fn to_vec(&self) -> Vec<T> {
        self.0.iter().map(Cell::get).collect()
    }
}

impl<T: DeviceType> From<Vec<T>> for HostBuffer<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(elements.into_iter().map(Cell::new).collect())
    }
}

impl<T: DeviceType> Clone for HostBuffer<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

// The elements may be written at the same time.
debug!([T: DeviceType] HostBuffer<T>, this => len: this.len());
