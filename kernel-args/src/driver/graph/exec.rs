//! Instantiated graphs.

use super::{
    Node, captures,
    contents::Contents,
    explain,
    find::nodes_of,
    owner::Slot,
    release::{Owner, Released, release},
    taken_over::TakenOver,
};
use crate::{
    driver::{
        api::{self, CallError, Event, Handle, NodeId, api, out, required},
        context::{bind, bind_graph, named, restored_on_error},
        error::{ContextError, ContextMismatch, Error},
        module::Kernel,
    },
    marshal::{ContextName, KernelArgs},
};
use core::mem;
use cudarc::driver::{
    CudaContext, CudaGraph, CudaStream,
    sys::{CUgraph, CUgraphExec},
};
use std::{boxed::Box, sync::Arc, vec::Vec};

/// An instantiated graph, which can be launched repeatedly, with new arguments for its nodes.
///
/// [`Graph`](super::Graph) documents what keeps the arguments' memory allocated. Each launch runs after the previous launch of the
/// same `GraphExec`, even on different streams. An update affects only later launches.
pub struct GraphExec {
    pub(super) driver: api::Exec,
    pub(super) context: Arc<CudaContext>,
    /// The stream of the last launch through this object.
    pub(super) last_launch: Option<Arc<CudaStream>>,
    /// For a graph of cudarc, and after an update of the whole graph.
    pub(super) taken_over: Option<TakenOver>,
    pub(super) contents: Contents,
    /// Whether `update_graph` has replaced the parameters of all nodes.
    pub(super) is_updated: bool,
}

impl GraphExec {
    pub(super) fn of(driver: api::Exec, context: Arc<CudaContext>, contents: Contents) -> Self {
        Self {
            driver,
            context,
            last_launch: None,
            taken_over: None,
            contents,
            is_updated: false,
        }
    }

    /// A graph that cudarc has captured in `ctx` with `stream.end_capture(…)`.
    ///
    /// Two kinds of nodes can be updated: nodes of launches that were captured with [`launch!`](crate::launch!)'s
    /// `node`, and nodes from [`kernel_nodes`](Self::kernel_nodes).
    ///
    /// cudarc can have launched the graph before. It does not report on which stream, so an update cannot know when the
    /// arguments of the capture are no longer used: the graph retains them until it is dropped and its launches have finished. If the
    /// stream of the last launch is being captured when this is dropped, the arguments of updates are never released.
    ///
    /// The driver gives the handles of a destroyed graph and of its nodes to other graphs. While a launch of the destroyed graph is
    /// still running, its nodes can be accepted as nodes of another graph with the same handles, if no node of that graph
    /// was captured with `node`; an update also needs a node with the same kernel. All memory stays allocated then too.
    ///
    /// The graph is uploaded (`CudaGraph::upload`), because cudarc reports the context of a graph in no other way. No stream
    /// of this thread must be capturing.
    ///
    /// # Errors
    /// [`Error::Context`] if cudarc captured the graph in a different context; [`Error::Driver`] if the driver returns an
    /// error, also for an earlier call in this context.
    pub fn from_cudarc(ctx: &Arc<CudaContext>, graph: CudaGraph) -> Result<Self, Error> {
        restored_on_error(ctx, || {
            let captured_in = bind_graph(&graph)?;
            if captured_in != ctx.cu_ctx() {
                let contexts = ContextMismatch::new(named(captured_in), ContextName::of(ctx));
                return Err(Error::Context(ContextError::ForeignGraph(Box::new(
                    contexts,
                ))));
            }
            let capture = captures::of(Handle::new(graph.cu_graph()));
            Ok(Self {
                driver: api::Exec::of_cudarc(api()?, graph, capture)?,
                context: ctx.clone(),
                last_launch: None,
                taken_over: Some(TakenOver::default()),
                contents: Contents::default(),
                is_updated: false,
            })
        })
    }

    /// The nodes that launch `kernel`, each after its dependencies; independent nodes are in the order of the driver's
    /// list.
    ///
    /// A node from this method cannot retain arguments: see [`update_unretained`](Self::update_unretained). A node from
    /// [`Graph::kernel_nodes`](super::Graph::kernel_nodes) can.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn kernel_nodes<A: KernelArgs>(
        &mut self,
        kernel: &Kernel<A>,
    ) -> Result<Vec<Node<A>>, Error> {
        self.context.bind_to_thread().map_err(Error::context)?;
        nodes_of(self.driver.graph(), kernel)
    }

    /// Uploads the graph to the GPU before the first launch: `cuGraphUpload`. A graph with device-updatable nodes must
    /// be uploaded before its first launch, and after each update of such a node.
    ///
    /// # Errors
    /// [`Error::Graph`] if the stream belongs to a different context, or the driver returns an error.
    pub fn upload(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        required!(self.driver.api(), cuGraphUpload)?;
        self.bind(stream, explain::UPLOADED)?;
        let uploaded = self.driver.upload((&**stream).into());
        uploaded.map_err(|error| explain::call(explain::UPLOADED, error))
    }

    /// The driver's handle of the instantiated graph, which is valid while this is alive. An update does not know of launches
    /// through this handle: wait for them before an update releases arguments that they use.
    #[must_use]
    pub fn cu_graph_exec(&self) -> CUgraphExec {
        self.driver.raw()
    }

    /// The driver's handle of the graph from which it was instantiated, which is valid while this is alive.
    #[must_use]
    pub fn cu_graph(&self) -> CUgraph {
        self.driver.raw_graph()
    }

    pub(super) fn bind(&self, stream: &Arc<CudaStream>, action: &'static str) -> Result<(), Error> {
        if stream.context().cu_ctx() != self.context.cu_ctx() {
            return Err(explain::foreign_stream(action, &self.context, stream));
        }
        bind(self.driver.api(), &self.context)
    }

    /// Stores the owner of the new arguments of a node. Releases the previous owner after the launches that may use it have
    /// finished; returns whether there was one.
    pub(super) fn replace_owner(
        &mut self,
        node: NodeId,
        slot: &Slot,
        owner: Option<Owner>,
    ) -> bool {
        let former = match &mut self.taken_over {
            Some(taken_over) => {
                slot.occupy();
                taken_over.replace_owner(node, owner)
            }
            None => slot.replace_owner(owner),
        };
        let Some(former) = former else { return false };
        match (self.after_launches(), &mut self.taken_over) {
            (Ok(after), Some(taken_over)) => {
                let others = taken_over.take_former();
                self.release(former, others, after);
            }
            (Ok(after), None) => self.release(former, slot.take_former(), after),
            (Err(NotKnown), Some(taken_over)) => taken_over.keep(former),
            (Err(NotKnown), None) => slot.keep(former),
        }
        true
    }

    /// An event that completes when all launches through this object have finished; `None` if there was no launch.
    pub(super) fn after_launches(&self) -> Result<Option<Event>, NotKnown> {
        let Some(stream) = self.last_stream() else {
            return Ok(None);
        };
        // An event that was recorded by a capture never completes.
        let settled = || is_capturing(stream).is_ok_and(|capturing| !capturing);
        // Launches of one graph run one after another (CUDA Driver API, `cuGraphLaunch`), so when the last launch has
        // finished, all have.
        if settled()
            && let Ok(event) = Event::record(self.driver.api(), stream)
            && settled()
        {
            return Ok(Some(event));
        }
        Err(NotKnown)
    }

    /// The stream of the last launch.
    pub(super) fn last_stream(&self) -> Option<&Arc<CudaStream>> {
        self.last_launch
            .as_ref()
            .or(self.contents.memory.taken_on())
    }

    pub(super) fn release(&self, owner: Owner, former: Vec<Owner>, after: Option<Event>) {
        release(Released {
            after,
            context: self.context.clone(),
            former,
            owner,
        });
    }
}

/// No event shows when the last launch has finished.
pub(super) struct NotKnown;

impl Drop for GraphExec {
    fn drop(&mut self) {
        // Destroying a graph needs no context, but cudarc's graph may own objects that need one. `Drop` cannot report
        // an error, so it is discarded.
        let _ = self.driver.api().cuCtxSetCurrent((&*self.context).into());
        self.free_left_memory();
        let taken_over = self.taken_over.take();
        let mut owners = taken_over.map_or_else(Vec::new, TakenOver::into_owners);
        if self.is_updated {
            // Launches no longer hold what the first graph retains: see `update_graph`.
            owners.extend(
                self.driver
                    .take_objects()
                    .map(|objects| Box::new(objects) as Owner),
            );
        }
        if owners.is_empty() {
            return;
        }
        match self.after_launches() {
            Ok(after) => self.release(Box::new(()), owners, after),
            // A launch may still use the memory.
            Err(NotKnown) => mem::forget(owners),
        }
    }
}

/// Whether the stream is being captured.
pub(super) fn is_capturing(stream: &CudaStream) -> Result<bool, CallError> {
    let api = api()?;
    Ok(out(|status| api.cuStreamIsCapturing(stream.into(), status))? != 0)
}
