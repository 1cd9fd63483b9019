//! The unsafe methods of graphs: their callers promise that launches are valid and that memory stays allocated.

use super::{Dependencies, Graph, GraphExec, GraphMemory, Node, NodeArgs, NodeKind, explain};
#[cfg(feature = "observe")]
use crate::driver::observe::{self, Event, GraphEvent};
use crate::{
    device::DeviceType,
    driver::{
        api::{CallError, Promise},
        config::Launch,
        context::make_current,
        error::Error,
        launch::check_enclosing,
        module::Kernel,
    },
    marshal::{KernelArgs, OwnedArgs},
};
use core::{mem, ptr};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut};
use std::sync::Arc;

impl<B> Graph<B> {
    /// [`add_kernel_launch`](Self::add_kernel_launch) with arguments of any lifetime, which are not retained.
    ///
    /// # Errors
    /// As for [`add_kernel`](Self::add_kernel).
    ///
    /// # Safety
    /// The memory that `args` point to stays allocated until an update replaces them or the graph is dropped, and its
    /// launches have finished.
    pub unsafe fn add_kernel_unretained<A: KernelArgs, T>(
        &mut self,
        kernel: &Kernel<A>,
        launch: Launch<'_>,
        mut args: T,
        after: impl Dependencies,
    ) -> Result<Node<A>, Error>
    where
        T: NodeArgs<A>,
    {
        self.add(kernel, launch, &mut args, after)
    }
}

impl GraphExec {
    /// Launches the graph, after the work that is already in the stream and the previous launch of this graph.
    ///
    /// # Errors
    /// [`Error::Graph`] if the stream belongs to a different context or is being captured, or the driver returns an
    /// error.
    ///
    /// # Safety
    /// For each enabled node with its current arguments, until the launch has finished:
    /// - the kernel accesses only valid memory: pointers that the arguments do not own point to memory that stays
    ///   allocated, and the kernel stays within that memory;
    /// - no such access races with another use of the same memory, on another stream or by the host. The launch neither
    ///   reads nor updates cudarc's record of the last use of a slice;
    /// - the kernel sets only [conditions](super::Condition) of this graph.
    pub unsafe fn launch(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.bind(stream, explain::LAUNCHED)?;
        check_enclosing(Some(stream), || "the graph".into())?;
        // SAFETY: the caller guarantees that the nodes of the graph may run.
        let promise = unsafe { Promise::new() };
        let launch = || {
            let launched = self.driver.launch((&**stream).into(), promise);
            launched.map_err(|error| self.not_launched(error))
        };
        #[cfg(feature = "observe")]
        let launch = || {
            if !observe::is_active() {
                return launch();
            }
            let event = GraphEvent { exec: self.cu_graph_exec(), graph: self.cu_graph(), stream };
            observe::around(&Event::GraphLaunch(&event), launch)
        };
        launch()?;
        if self.last_launch.as_ref().is_none_or(|last| !Arc::ptr_eq(last, stream)) {
            self.last_launch = Some(stream.clone());
            self.contents.memory.launched();
        }
        Ok(())
    }

    /// The code has other reasons too.
    #[cold]
    fn not_launched(&self, error: CallError) -> Error {
        match error {
            CallError::Returned(call) if call.status.0 == 1 && self.last_stream().is_some() => {
                let nodes = self.nodes().unwrap_or_default();
                let count =
                    |kind| nodes.iter().filter(|node| self.kind(**node).is_ok_and(|found| found == kind)).count();
                let [allocated, freed] = [NodeKind::Alloc, NodeKind::Free].map(count);
                if allocated <= freed {
                    return explain::LAUNCHED.returned(call);
                }
                let sizes: Vec<_> = self.contents.memory.left().map(|(_, bytes)| format!(", {bytes} bytes")).collect();
                explain::LAUNCHED.left_memory(call, allocated, freed, &sizes.concat())
            }
            error => explain::LAUNCHED.error(error),
        }
    }

    pub(super) fn free_left_memory(&self) {
        let Some(stream) = self.last_stream() else {
            return;
        };
        let (api, memory) = (self.driver.api(), &self.contents.memory);
        let mut left = memory.left().peekable();
        // The call would become a node of a capture.
        if left.peek().is_none()
            || api.is_capturing(stream).unwrap_or(true)
            || memory.state.is_none_or(|state| state.is_over(api, &self.context))
        {
            return;
        }
        // SAFETY: a node of this graph allocates the memory, no node frees it, and no `take` followed the last launch,
        // on this stream. The context is the one of the nodes.
        left.for_each(|(address, _)| unsafe { self.driver.free(address, (&**stream).into()) });
    }

    /// Returns the memory that the last launch has left allocated, as a slice that frees it when it is dropped.
    ///
    /// It belongs to the stream of that launch, so work on other streams waits for the launch, as for every slice.
    ///
    /// # Errors
    /// [`Error::Graph`] if the memory belongs to a different graph, the graph frees it, or no launch has allocated it
    /// since it was last taken; [`Error::Context`].
    ///
    /// # Panics
    /// cudarc panics if the driver cannot create an event.
    ///
    /// # Safety
    /// - Nothing else frees the memory: neither a call of user code, nor a later launch of a graph from
    ///   [`Graph::instantiate_auto_free`] while the slice exists.
    /// - The kernels of the launch have written valid values of `T`.
    pub unsafe fn take<T: DeviceType>(&mut self, memory: &GraphMemory<T>) -> Result<CudaSlice<T>, Error> {
        let (action, address, len) = (explain::TAKEN, memory.pointer().address(), memory.len());
        if memory.of(&self.contents, action)?.freed_by.is_some() {
            return Err(action.freed_by_graph());
        }
        let stream = self.last_stream().cloned().ok_or_else(|| action.not_allocated())?;
        if !self.contents.memory.take(address, &stream) {
            return Err(action.not_allocated());
        }
        // The next launch sets it.
        self.last_launch = None;
        make_current(&self.context)?;
        // SAFETY: the launch on this stream has allocated `len` elements, and the caller guarantees that nothing else
        // frees them.
        let mut slice = unsafe { stream.upgrade_device_ptr::<T>(address, len) };
        // Records the launch as a use, for which other streams wait.
        drop(slice.device_ptr_mut(&stream));
        Ok(slice)
    }

    /// [`update_launch`](Self::update_launch) with arguments of any lifetime, which are not retained.
    ///
    /// # Errors
    /// As for [`update`](Self::update).
    ///
    /// # Safety
    /// The memory that `args` point to stays allocated until another update replaces them or the graph is dropped, and
    /// its launches have finished.
    #[inline]
    pub unsafe fn update_unretained<A: KernelArgs, B>(
        &mut self,
        node: &Node<A>,
        launch: Launch<'_>,
        mut args: B,
    ) -> Result<(), Error>
    where
        B: NodeArgs<A>,
    {
        self.set(node, launch, &mut args, &mut ptr::null(), |_| Ok(()))?;
        self.release_former(node);
        Ok(())
    }
}

impl<A: KernelArgs> Kernel<A> {
    /// Captures a launch on a stream that [`Graph::capture`] captures, and returns its node:
    /// [`launch!`](crate::launch!) with `node`. The graph retains `args`.
    ///
    /// Slices in the arguments wait for their last use, and record this use, on the default stream of their context,
    /// because a capture cannot contain this.
    ///
    /// # Errors
    /// As for [`launch()`](crate::launch()), and [`Error::Graph`] if no [`Graph::capture`] captures the stream.
    ///
    /// # Safety
    /// The requirements of [`launch()`](crate::launch()), for each launch of the captured graph, which keeps the memory
    /// that `args` own.
    pub unsafe fn capture<B>(&self, launch: Launch<'_>, mut args: B) -> Result<Node<A>, Error>
    where
        B: NodeArgs<A> + OwnedArgs + Send + 'static,
    {
        // SAFETY: the caller promises it for each launch of the graph, and the slot keeps the memory that the arguments
        // own.
        let promise = unsafe { Promise::new() };
        let (slot, node) = self.capture_with(launch, &mut args, promise)?;
        if const { mem::needs_drop::<B>() } {
            // Also if the launch has failed: the driver may have captured it before the failure.
            slot.replace_owner(Some(Box::new(args)));
        }
        node
    }

    /// [`capture`](Self::capture) with arguments of any lifetime, which are not retained.
    ///
    /// # Errors
    /// As for [`capture`](Self::capture).
    ///
    /// # Safety
    /// The requirements of [`capture`](Self::capture). In addition, the memory that `args` point to stays allocated
    /// until an update replaces them or the graph is dropped, and its launches have finished.
    pub unsafe fn capture_unretained<B>(&self, launch: Launch<'_>, mut args: B) -> Result<Node<A>, Error>
    where
        B: NodeArgs<A>,
    {
        // SAFETY: the caller promises it for each launch of the graph, and keeps the memory of the arguments.
        let promise = unsafe { Promise::new() };
        self.capture_with(launch, &mut args, promise)?.1
    }
}
