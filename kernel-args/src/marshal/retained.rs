//! Device pointers that keep their memory allocated.

use super::{Guard, KernelArg, LaunchStream, PointerArg};
use crate::{
    contract::Elements,
    device::{DevicePointer, DevicePointerMut, Nullable, Pointee},
};
use core::fmt;
use cudarc::driver::{CudaContext, DevicePtr};
use std::sync::Arc;

/// A device pointer that keeps its memory allocated for its own lifetime: an argument for the nodes of a
/// [`Graph`](crate::graph::Graph), which retains its arguments.
///
/// `P` is [`DevicePointer<T>`], for `T const*`, or [`DevicePointerMut<T>`], for `T*`. It owns an [`Arc`] of the memory,
/// of which user code can keep clones. Its use is not tracked: the launch does not wait for other streams, nor they
/// for the launch.
///
/// ```no_run
/// use kernel_args::{DevicePointer, KernelArgs, Retained};
/// use std::sync::Arc;
///
/// #[derive(KernelArgs)]
/// struct Sum { n: u32, x: Retained<DevicePointer<f32>> } // float const*
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let stream = kernel_args::context(0)?.default_stream();
/// let x = Arc::new(stream.clone_htod(&[1.0_f32; 1024])?);
/// let args = Sum { n: 1024, x: Retained::read(&x) };
/// # drop(args);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Retained<P> {
    pointer: P,
    elements: usize,
    context: Arc<CudaContext>,
    #[cfg_attr(not(feature = "graphs"), expect(dead_code, reason = "held, not read"))]
    memory: Arc<dyn Send + Sync>,
}

impl<T: Pointee> Retained<DevicePointer<T>> {
    /// Returns a pointer to the beginning of `memory`, which the kernel reads: a `CudaSlice<T>` or a `UnifiedSlice<T>`.
    ///
    /// The default stream waits for the writes to the memory that cudarc has recorded.
    #[must_use]
    pub fn read<M: DevicePtr<T> + Send + Sync + 'static>(memory: &Arc<M>) -> Self {
        Self::new(DevicePointer::from_raw, memory)
    }
}

impl<T: Pointee> Retained<DevicePointerMut<T>> {
    /// Returns a pointer to the beginning of `memory`, which the kernel writes.
    ///
    /// The default stream waits for the writes to the memory that cudarc has recorded. The memory is shared: the caller
    /// of the launch ensures that nothing else uses it while the kernel runs.
    #[must_use]
    pub fn write<M: DevicePtr<T> + Send + Sync + 'static>(memory: &Arc<M>) -> Self {
        Self::new(DevicePointerMut::from_raw, memory)
    }
}

impl<P: Copy> Retained<P> {
    fn new<T, M: DevicePtr<T> + Send + Sync + 'static>(pointer: fn(u64) -> P, memory: &Arc<M>) -> Self {
        let context = memory.stream().context().clone();
        // cudarc returns the address only for a stream that will use the memory. This one never captures.
        let pointer = pointer(memory.device_ptr(&context.default_stream()).0);
        Self { pointer, elements: memory.len(), context, memory: memory.clone() }
    }

    /// Returns a pointer to memory that a graph allocates, which only the graph keeps allocated.
    #[cfg(feature = "graphs")]
    pub(crate) fn of_graph(pointer: P, elements: usize, context: &Arc<CudaContext>) -> Self {
        Self { pointer, elements, context: context.clone(), memory: context.clone() }
    }

    #[cfg(feature = "graphs")]
    pub(crate) fn into_memory(self) -> Arc<dyn Send + Sync> {
        self.memory
    }

    /// Returns the pointer. It does not keep the memory allocated.
    #[must_use]
    pub fn pointer(&self) -> P {
        self.pointer
    }
}

// It does not implement `in_place`: the context of an argument in place is not compared.
impl<P: PointerArg<Device = P> + Nullable> KernelArg for Retained<P> {
    type Device = P;

    #[inline]
    fn check_context(&self, stream: &LaunchStream<'_>) {
        stream.check_slice(&self.context, || self.elements);
    }

    #[inline(always)]
    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (P, Guard<'s>) {
        #[cfg(not(feature = "graphs"))]
        let _ = stream;
        #[cfg(feature = "graphs")]
        stream.retain(&self.memory);
        (self.pointer, Guard::NONE)
    }
}

impl<P: PointerArg<Device = P> + Nullable> PointerArg for Retained<P> {}

impl<P> Elements for Retained<P> {
    #[inline(always)]
    fn elements(&self) -> usize {
        self.elements
    }
}

impl<P: fmt::Debug> fmt::Debug for Retained<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Retained").field(&self.pointer).finish()
    }
}
