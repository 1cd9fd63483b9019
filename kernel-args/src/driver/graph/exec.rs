//! Instantiated graphs.

use super::{
    Node, captures,
    contents::Contents,
    explain,
    find::nodes_of,
    owner::Slot,
    release::{Owner, relaxed, release},
    taken_over::TakenOver,
};
use crate::{
    driver::{
        api::{self, Handle, NodeId, api, required},
        context::{bind, bind_graph, named, restored_on_error},
        error::{ContextError, ContextMismatch, Error},
        module::Kernel,
    },
    marshal::{ContextName, KernelArgs},
};
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
    /// For a graph of cudarc.
    pub(super) taken_over: Option<TakenOver>,
    pub(super) contents: Contents,
    /// What the graph holds of which `update_graph` has taken over the parameters.
    pub(super) replacement: Option<Contents>,
}

impl GraphExec {
    pub(super) fn of(driver: api::Exec, context: Arc<CudaContext>, contents: Contents) -> Self {
        Self { driver, context, last_launch: None, taken_over: None, contents, replacement: None }
    }

    /// A graph that cudarc has captured in `ctx` with `stream.end_capture(…)`.
    ///
    /// Two kinds of nodes can be updated: nodes of launches that were captured with [`launch!`](crate::launch!)'s
    /// `node`, and nodes from [`kernel_nodes`](Self::kernel_nodes).
    ///
    /// cudarc can have launched the graph before. It does not report on which stream, so an update cannot know when the
    /// arguments of the capture are no longer used: the graph retains them until it is dropped and its launches have finished.
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
                return Err(Error::Context(ContextError::ForeignGraph(Box::new(contexts))));
            }
            let capture = captures::of(Handle::new(graph.cu_graph()));
            Ok(Self {
                driver: api::Exec::of_cudarc(api()?, graph, capture)?,
                context: ctx.clone(),
                last_launch: None,
                taken_over: Some(TakenOver::default()),
                contents: Contents::new(ctx),
                replacement: None,
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
    pub fn kernel_nodes<A: KernelArgs>(&mut self, kernel: &Kernel<A>) -> Result<Vec<Node<A>>, Error> {
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

    /// The driver's handle of the instantiated graph, which is valid while this is alive. This object does not know of launches
    /// through the handle: wait for them before an update, or the drop of this object, releases arguments that they use.
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
    pub(super) fn replace_owner(&mut self, node: NodeId, slot: &Slot, owner: Option<Owner>) -> bool {
        let former = match &mut self.taken_over {
            Some(taken_over) => {
                slot.occupy();
                taken_over.replace_owner(node, owner)
            }
            None => slot.replace_owner(owner),
        };
        let was_occupied = former.is_some();
        self.release(former.into_iter().collect());
        was_occupied
    }

    /// The stream of the last launch.
    pub(super) fn last_stream(&self) -> Option<&Arc<CudaStream>> {
        self.last_launch.as_ref().or(self.contents.memory.taken_on())
    }

    /// Drops `owners` after the launches of this graph have finished. Launches of one graph run one after another (CUDA Driver API,
    /// `cuGraphLaunch`), so when the last launch has finished, all have.
    pub(super) fn release(&self, owners: Vec<Owner>) {
        release(self.last_stream(), &self.context, owners);
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        // Destroying a graph needs no context, but cudarc's graph may own objects that need one. `Drop` cannot report
        // an error, so it is discarded.
        let _ = self.driver.api().cuCtxSetCurrent((&*self.context).into());
        self.free_left_memory();
        let objects = self.driver.take_objects();
        let mut owners = Vec::new();
        if self.replacement.is_some() {
            // Launches no longer hold what cudarc's graph retains: see `update_graph`.
            owners.extend(objects.map(|objects| Box::new(objects) as Owner));
        } else {
            // The drop may be part of the work that a capture contains.
            relaxed(self.driver.api(), || drop(objects));
        }
        owners.append(&mut self.contents.take());
        owners.extend(self.replacement.iter_mut().flat_map(Contents::take));
        owners.extend(self.taken_over.take().into_iter().flat_map(TakenOver::into_owners));
        self.release(owners);
    }
}
