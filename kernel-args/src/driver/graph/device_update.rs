//! Nodes whose parameters a kernel can update.

use super::{Graph, Node, explain};
use crate::{
    driver::{attributes::make_device_updatable, context::make_current, error::Error},
    marshal::KernelArgs,
};
use cudarc::driver::sys::CUdeviceptr;

impl Graph {
    /// Allows kernels to update the parameters of a node, and returns the node's handle for kernels: the
    /// `cudaGraphDeviceNode_t` that `cudaGraphKernelNodeSetParam` takes. It is valid as long as the graph.
    ///
    /// That function also takes the offset of a field, which is [`offset_of`](crate::args::offset_of). A graph with
    /// such a node can be instantiated once. It must be [uploaded](super::GraphExec::upload) before its first launch
    /// and after each update of the node by the host. A parameter that a kernel writes is not checked.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node belongs to a different graph, or the driver returns an error: it needs CUDA 12.4.
    pub fn make_device_updatable<A: KernelArgs>(&mut self, node: &Node<A>) -> Result<CUdeviceptr, Error> {
        let (action, graph) = (explain::DEVICE_UPDATABLE, self.driver.as_ref());
        let foreign = || action.not_of_graph(graph, node.any.0, Some(node.kernel.name().into()));
        let found = graph.node(node.any.0).ok_or_else(foreign)?;
        make_current(&self.context)?;
        match make_device_updatable(self.driver.api(), found)? {
            Ok(handle) => Ok(handle),
            Err(refused) => Err(action.returned(refused.call)),
        }
    }
}
