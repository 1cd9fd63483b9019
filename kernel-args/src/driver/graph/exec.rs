//! An instantiated graph.

use super::{
    Node, explain,
    find::nodes_of,
    owner::{Owner, Slot},
    release::release,
};
use crate::{
    driver::{
        api::{self, CallError, Event, ExecNode, Handle, api, out, required},
        context::bind,
        error::Error,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use cudarc::driver::{
    CudaContext, CudaGraph, CudaStream,
    sys::{CUgraph, CUgraphExec},
};
use std::{sync::Arc, vec::Vec};

/// An instantiated graph, which can be launched again and again, with new arguments for its nodes.
///
/// [`Graph`](super::Graph) says what keeps the arguments' memory allocated. Each launch runs after the previous one of the same `GraphExec`,
/// on whatever stream; an update changes the launches that follow it.
pub struct GraphExec {
    pub(super) driver: api::Exec,
    pub(super) context: Arc<CudaContext>,
    /// Where it was launched last.
    pub(super) launched_on: Option<Arc<CudaStream>>,
}

impl GraphExec {
    pub(super) fn of(driver: api::Exec, context: Arc<CudaContext>) -> Self {
        Self {
            driver,
            context,
            launched_on: None,
        }
    }

    /// A graph that cudarc has captured in `ctx`, `stream.end_capture(…)`.
    ///
    /// Nodes of launches that were captured with [`launch!`](crate::launch!)'s `node` can be updated, and so can those that
    /// [`kernel_nodes`](Self::kernel_nodes) finds.
    ///
    /// # Errors
    /// [`Error::Graph`] where the driver does not list the nodes.
    pub fn from_cudarc(ctx: &Arc<CudaContext>, graph: CudaGraph) -> Result<Self, Error> {
        let api = api()?;
        ctx.bind_to_thread().map_err(Error::context)?;
        match api::Exec::of_cudarc(api, graph) {
            Ok(exec) => Ok(Self::of(exec, ctx.clone())),
            Err(error) => Err(explain::call(explain::FOUND, error)),
        }
    }

    /// The nodes that launch `kernel`, each after those that it depends on; among others in the order of the driver's list.
    ///
    /// A node that is found here cannot retain arguments: see [`update_unretained`](Self::update_unretained). Those that
    /// [`Graph::kernel_nodes`](super::Graph::kernel_nodes) finds can.
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

    /// Uploads the graph to the GPU, so that the first launch does not: `cuGraphUpload`. A graph with device-updatable nodes
    /// is uploaded before its first launch, and after each update of such a node.
    ///
    /// # Errors
    /// [`Error::Graph`] where the stream belongs to another context, or the driver returns an error.
    pub fn upload(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        required!(self.driver.api(), cuGraphUpload)?;
        self.bind(stream, explain::UPLOADED)?;
        let uploaded = self.driver.upload((&**stream).into());
        uploaded.map_err(|error| explain::call(explain::UPLOADED, error))
    }

    /// The driver's handle of the instantiated graph, valid while this is alive.
    #[must_use]
    pub fn cu_graph_exec(&self) -> CUgraphExec {
        self.driver.raw()
    }

    /// The driver's handle of the graph from which it was instantiated, valid while this is alive.
    #[must_use]
    pub fn cu_graph(&self) -> CUgraph {
        self.driver.raw_graph()
    }

    /// The node, if it and its kernel belong to the graph.
    #[inline(always)]
    pub(super) fn node_of<A: KernelArgs>(&self, node: &Node<A>) -> Option<ExecNode<'_>> {
        let function = Handle::new(node.kernel.function().handle().raw());
        self.driver.kernel_node(node.any.0, function)
    }

    pub(super) fn bind(&self, stream: &Arc<CudaStream>, action: &'static str) -> Result<(), Error> {
        if stream.context().cu_ctx() != self.context.cu_ctx() {
            return Err(explain::foreign_stream(action, &self.context, stream));
        }
        bind(self.driver.api(), &self.context)
    }

    /// Lets an owner go that an update of the node of `slot` has replaced, when the launches that may use it are over.
    #[cold]
    pub(super) fn let_go(&self, owner: Owner, slot: &Slot) {
        let Some(stream) = &self.launched_on else {
            // No launch has used it.
            return release(owner, self.context.clone(), None);
        };
        let api = self.driver.api();
        // An event that a capture has recorded is never complete.
        let settled = || is_capturing(stream).is_ok_and(|capturing| !capturing);
        // Launches of one graph run one after another, so when the last one is over, all are.
        if settled()
            && let Ok(event) = Event::record(api, stream)
            && settled()
        {
            return release(owner, self.context.clone(), Some(event));
        }
        slot.keep(owner);
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        // Destroying a graph needs no context, but cudarc's part may release what does. `Drop` cannot report an error, so it is
        // discarded.
        let _ = self.driver.api().cuCtxSetCurrent((&*self.context).into());
    }
}

/// Whether the stream is being captured.
fn is_capturing(stream: &CudaStream) -> Result<bool, CallError> {
    let api = api()?;
    Ok(out(|status| api.cuStreamIsCapturing(stream.into(), status))? != 0)
}
