//! Nodes whose parameters a kernel can update.

use super::{Graph, Node, explain};
use crate::{
    driver::{attributes::make_device_updatable, error::Error},
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
        let Some(found) = self.driver.as_ref().node(node.any.0) else {
            return Err(explain::not_of_graph(
                self.driver.as_ref(),
                node.any.0,
                Some(node.kernel.name().into()),
                explain::DEVICE_UPDATABLE,
            ));
        };
        self.context.bind_to_thread().map_err(Error::context)?;
        match make_device_updatable(self.driver.api(), found)? {
            Ok(handle) => Ok(handle),
            Err(refused) => Err(explain::returned_by(explain::DEVICE_UPDATABLE, refused.call)),
        }
    }
}
