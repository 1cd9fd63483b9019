//! The methods of graphs whose callers promise something: what a launch may do, and what stays allocated for it.

use super::{AnyNode, Graph, GraphExec, Node, explain};
use crate::{
    driver::{
        api::{Promise, required},
        config::Launch,
        error::Error,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use core::{mem, ptr};
use cudarc::driver::CudaStream;
use std::{boxed::Box, sync::Arc};

impl Graph {
    /// Adds a node as [`add_kernel`](Self::add_kernel) with arguments of any lifetime, which are not retained.
    ///
    /// # Errors
    /// As [`add_kernel`](Self::add_kernel).
    ///
    /// # Safety
    /// What `args` point at stays allocated until an update has replaced them or the graph is dropped, and all its launches
    /// are over.
    pub unsafe fn add_kernel_unretained<A: KernelArgs, B>(
        &mut self,
        kernel: &Kernel<A>,
        launch: Launch<'_>,
        mut args: B,
        after: &[AnyNode],
    ) -> Result<Node<A>, Error>
    where
        B: KernelArgs<Erased = A::Erased>,
    {
        self.add(kernel, launch, &mut args, after)
    }
}

impl GraphExec {
    /// Launches the graph: its nodes run after the work that is in the stream, and after the previous launch of this graph.
    ///
    /// # Errors
    /// [`Error::Graph`] where the stream belongs to another context or is being captured, or the driver returns an error.
    ///
    /// # Safety
    /// For each node that is enabled, with the arguments that it has now, until the launch is over:
    /// - every access of its kernel is to valid memory: pointers that the arguments do not own point at memory that stays
    ///   allocated, and the kernel stays within what the pointers point at;
    /// - no such access races with another use of the same memory, on another stream or by the host: cudarc's record of the
    ///   last use of a slice is neither waited for nor made.
    pub unsafe fn launch(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        required!(self.driver.api(), cuGraphLaunch)?;
        self.bind(stream, explain::LAUNCHED)?;
        // SAFETY: the caller vouches for what the nodes of the graph do.
        let launched = unsafe { self.driver.launch((&**stream).into()) };
        launched.map_err(|error| explain::call(explain::LAUNCHED, error))?;
        match &self.launched_on {
            Some(last) if Arc::ptr_eq(last, stream) => {}
            _ => self.launched_on = Some(stream.clone()),
        }
        Ok(())
    }

    /// As [`update_launch`](Self::update_launch), with arguments of any lifetime, which are not retained.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    ///
    /// # Safety
    /// What `args` point at stays allocated until another update has replaced them or the graph is dropped, and all its
    /// launches are over.
    #[inline]
    pub unsafe fn update_unretained<A: KernelArgs, B>(
        &mut self,
        node: &Node<A>,
        launch: Launch<'_>,
        mut args: B,
    ) -> Result<(), Error>
    where
        B: KernelArgs<Erased = A::Erased>,
    {
        self.set(node, launch, &mut args, &mut ptr::null())?;
        self.let_former_go(node);
        Ok(())
    }
}

impl<A: KernelArgs> Kernel<A> {
    /// Captures a launch on a stream that is being captured, and returns its node: what
    /// [`launch!`](crate::launch!) with `node` calls. The graph retains `args`.
    ///
    /// Slices among the arguments wait for their last use on the default stream of their context, and record this one there:
    /// a capture cannot contain that.
    ///
    /// # Errors
    /// As [`launch()`](crate::launch()), and [`Error::Graph`] where the stream is not being captured.
    ///
    /// # Safety
    /// At each launch of the graph that the capture becomes: as [`launch()`](crate::launch()). What `args` own is kept
    /// allocated by the graph.
    pub unsafe fn capture<B>(&self, launch: Launch<'_>, mut args: B) -> Result<Node<A>, Error>
    where
        B: KernelArgs<Erased = A::Erased> + Send + 'static,
    {
        // SAFETY: the caller promises it for each launch of the graph, and the slot keeps what the arguments own.
        let promise = unsafe { Promise::new() };
        let (slot, node) = self.capture_with(&launch, &mut args, promise)?;
        if const { mem::needs_drop::<B>() } {
            // Where the launch has failed as well: it may have been captured all the same.
            slot.hold(Some(Box::new(args)));
        }
        node
    }

    /// Captures a launch as [`capture`](Self::capture), with arguments of any lifetime, which are not retained.
    ///
    /// # Errors
    /// As [`capture`](Self::capture).
    ///
    /// # Safety
    /// As [`capture`](Self::capture); and what `args` point at stays allocated until an update has replaced them or the graph
    /// is dropped, and all its launches are over.
    pub unsafe fn capture_unretained<B>(
        &self,
        launch: Launch<'_>,
        mut args: B,
    ) -> Result<Node<A>, Error>
    where
        B: KernelArgs<Erased = A::Erased>,
    {
        // SAFETY: the caller promises it for each launch of the graph, and keeps allocated what the arguments point at.
        let promise = unsafe { Promise::new() };
        self.capture_with(&launch, &mut args, promise)?.1
    }
}
