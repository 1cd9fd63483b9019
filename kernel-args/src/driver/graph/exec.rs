//! Instantiated graphs.

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

/// An instantiated graph, which can be launched repeatedly, with new arguments for its nodes.
///
/// [`Graph`](super::Graph) documents what keeps the arguments' memory allocated. Each launch runs after the previous launch of the
/// same `GraphExec`, even on different streams. An update affects only later launches.
pub struct GraphExec {
    pub(super) driver: api::Exec,
    pub(super) context: Arc<CudaContext>,
    /// The stream of the last launch.
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

    /// A graph that cudarc has captured in `ctx` with `stream.end_capture(…)`.
    ///
    /// Two kinds of nodes can be updated: nodes of launches that were captured with [`launch!`](crate::launch!)'s
    /// `node`, and nodes from [`kernel_nodes`](Self::kernel_nodes).
    ///
    /// # Errors
    /// [`Error::Graph`] if the driver does not list the nodes.
    pub fn from_cudarc(ctx: &Arc<CudaContext>, graph: CudaGraph) -> Result<Self, Error> {
        let api = api()?;
        ctx.bind_to_thread().map_err(Error::context)?;
        match api::Exec::of_cudarc(api, graph) {
            Ok(exec) => Ok(Self::of(exec, ctx.clone())),
            Err(error) => Err(explain::call(explain::FOUND, error)),
        }
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

    /// The driver's handle of the instantiated graph, which is valid while this is alive.
    #[must_use]
    pub fn cu_graph_exec(&self) -> CUgraphExec {
        self.driver.raw()
    }

    /// The driver's handle of the graph from which it was instantiated, which is valid while this is alive.
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

    /// Releases an owner that an update of the node of `slot` has replaced, after the launches that may use it have
    /// finished.
    #[cold]
    pub(super) fn release_after_launches(&self, owner: Owner, slot: &Slot) {
        let Some(stream) = &self.launched_on else {
            // No launch has used it.
            return release(owner, self.context.clone(), None);
        };
        let api = self.driver.api();
        // An event that was recorded by a capture never completes.
        let settled = || is_capturing(stream).is_ok_and(|capturing| !capturing);
        // Launches of one graph run one after another, so when the last launch has finished, all have.
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
        // Destroying a graph needs no context, but cudarc's graph may own objects that need one. `Drop` cannot report
        // an error, so it is discarded.
        let _ = self.driver.api().cuCtxSetCurrent((&*self.context).into());
    }
}

/// Whether the stream is being captured.
fn is_capturing(stream: &CudaStream) -> Result<bool, CallError> {
    let api = api()?;
    Ok(out(|status| api.cuStreamIsCapturing(stream.into(), status))? != 0)
}
