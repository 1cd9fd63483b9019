//! Instantiated graphs.

use super::{
    AnyNode, Node,
    contents::GraphContents,
    explain::{self, Action},
    release::{Owner, release},
    structure::nodes_of,
};
use crate::{
    driver::{
        api::{self, ExecNode},
        context::{bind, make_current},
        error::Error,
        launch::NodeSlot,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use cudarc::driver::{
    CudaContext, CudaStream,
    sys::{CUgraph, CUgraphExec},
};
use std::sync::Arc;

/// An instantiated graph, which can be launched repeatedly, with new arguments for its nodes.
///
/// [`Graph`](super::Graph) documents what keeps the arguments' memory allocated. Each launch runs after the previous
/// one, even on different streams. An update affects only later launches.
pub struct GraphExec {
    pub(super) driver: api::Exec,
    pub(super) context: Arc<CudaContext>,
    /// The stream of the last launch through this object.
    pub(super) last_launch: Option<Arc<CudaStream>>,
    pub(super) contents: GraphContents,
    /// What the graph holds of which `update_graph` has taken over the parameters.
    pub(super) replacement: Option<GraphContents>,
}

impl GraphExec {
    /// Returns the nodes that launch `kernel`, in the order of [`Graph::kernel_nodes`](super::Graph::kernel_nodes).
    ///
    /// A node from this method cannot retain arguments (see [`update_unretained`](Self::update_unretained)), one from
    /// [`Graph::kernel_nodes`](super::Graph::kernel_nodes) can.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn kernel_nodes<A: KernelArgs>(&mut self, kernel: &Kernel<A>) -> Result<Vec<Node<A>>, Error> {
        make_current(&self.context)?;
        nodes_of(self.driver.graph(), kernel)
    }

    /// Enables or disables a node of a kernel, a copy or a memset, for later launches. A disabled node does nothing,
    /// but its dependencies stay in effect.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node belongs to a different graph, or the driver returns an error.
    pub fn set_enabled(&mut self, node: impl Into<AnyNode>, enabled: bool) -> Result<(), Error> {
        explain::ENABLED.check(self.node(node.into())?.set_enabled(enabled))
    }

    /// Returns whether a node is enabled.
    ///
    /// # Errors
    /// As for [`set_enabled`](Self::set_enabled).
    pub fn is_enabled(&mut self, node: impl Into<AnyNode>) -> Result<bool, Error> {
        explain::ENABLED.check(self.node(node.into())?.is_enabled())
    }

    fn node(&self, node: AnyNode) -> Result<ExecNode<'_>, Error> {
        let foreign = || explain::ENABLED.not_of_graph(self.driver.graph(), node.0, None);
        let node = self.driver.node(node.0).ok_or_else(foreign)?;
        make_current(&self.context)?;
        Ok(node)
    }

    /// Uploads the graph to the GPU before the first launch: `cuGraphUpload`. A graph with device-updatable nodes must
    /// be uploaded before its first launch, and after each update of such a node.
    ///
    /// # Errors
    /// [`Error::Graph`] if the stream belongs to a different context, or the driver returns an error.
    pub fn upload(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.bind(stream, explain::UPLOADED)?;
        explain::UPLOADED.check(self.driver.upload((&**stream).into()))
    }

    /// Returns the driver's handle of the instantiated graph, which is valid while this is alive. Wait for launches
    /// through the handle before an update, or the drop of this object, releases arguments that they use.
    #[must_use]
    pub fn cu_graph_exec(&self) -> CUgraphExec {
        self.driver.raw()
    }

    /// Returns the driver's handle of the graph from which it was instantiated, which is valid while this is alive.
    #[must_use]
    pub fn cu_graph(&self) -> CUgraph {
        self.driver.raw_graph()
    }

    pub(super) fn bind(&self, stream: &Arc<CudaStream>, action: Action) -> Result<(), Error> {
        action.check_context(&self.context, "stream", stream.context(), "use a stream of the graph's context")?;
        bind(self.driver.api(), &self.context)
    }

    /// Releases the previous owner after the launches that may use it have finished; returns whether there was one.
    pub(super) fn replace_owner(&mut self, slot: &NodeSlot, owner: Option<Owner>) -> bool {
        let former = slot.replace_owner(owner);
        let was_occupied = former.is_some();
        self.release(former.into_iter().collect());
        was_occupied
    }

    pub(super) fn last_stream(&self) -> Option<&Arc<CudaStream>> {
        self.last_launch.as_ref().or(self.contents.memory.taken_on.as_ref())
    }

    /// Launches of one graph run one after another (CUDA Driver API, `cuGraphLaunch`).
    pub(super) fn release(&self, owners: Vec<Owner>) {
        release(self.last_stream(), &self.context, owners);
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        // `Drop` cannot report an error, so it is discarded.
        let _ = self.driver.api().cuCtxSetCurrent((&*self.context).into());
        self.free_left_memory();
        self.driver.destroy();
        let mut owners = self.contents.take();
        owners.extend(self.replacement.iter_mut().flat_map(GraphContents::take));
        self.release(owners);
    }
}
