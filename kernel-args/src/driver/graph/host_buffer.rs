//! Host memory that the copies of a graph write.

use core::{cell::Cell, fmt};
use std::{sync::Arc, vec::Vec};

/// Host memory that a copy of a graph writes at each launch, shared by the graph and the program: see
/// [`Graph::add_memcpy_dtoh`](super::Graph::add_memcpy_dtoh).
///
/// A clone is the same memory. It stays allocated until the last clone is dropped, and the graphs that write it have let it go.
///
/// ```no_run
/// use kernel_args::{DevicePointer, graph::{Graph, HostBuffer}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// # let stream = ctx.new_stream()?;
/// # let sums: DevicePointer<f32> = DevicePointer::NULL;
/// let mut graph = Graph::new(&ctx)?;
/// let result = HostBuffer::from(vec![0.0_f32; 4]);
/// graph.add_memcpy_dtoh(&result, sums, &[])?;
/// let mut exec = graph.instantiate()?;
/// // SAFETY: there are four sums.
/// unsafe { exec.launch(&stream)? };
/// stream.synchronize()?;
/// // SAFETY: the launch is over, and what it has copied are floats.
/// let sums = unsafe { result.to_vec() };
/// # Ok(())
/// # }
/// ```
pub struct HostBuffer<T>(Arc<[Cell<T>]>);

// SAFETY: nothing safe reads or writes the elements before the last clone drops them; `to_vec` and `as_ptr` leave the order of
// accesses to their callers. Elements may be dropped and cloned on any thread.
unsafe impl<T: Send + Sync> Send for HostBuffer<T> {}
// SAFETY: `Send` says why: what several threads share is read by `to_vec` alone, whose callers order the accesses.
unsafe impl<T: Send + Sync> Sync for HostBuffer<T> {}

impl<T> HostBuffer<T> {
    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first element. It is valid for `len` elements while this or a clone of it is alive.
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        // `Cell<T>` "has the same memory layout" as `T` (`core::cell::Cell`, "Memory layout").
        self.0.as_ptr().cast::<T>().cast_mut()
    }

    /// The elements as they are now.
    ///
    /// # Safety
    /// No launch of a graph that writes this runs meanwhile, and no other thread writes it; what was written are values of `T`.
    #[must_use]
    pub unsafe fn to_vec(&self) -> Vec<T>
    where
        T: Copy,
    {
        self.0.iter().map(Cell::get).collect()
    }
}

impl<T> From<Vec<T>> for HostBuffer<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(elements.into_iter().map(Cell::new).collect())
    }
}

impl<T> Clone for HostBuffer<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Its length: the elements may be being written.
impl<T> fmt::Debug for HostBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuffer")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
