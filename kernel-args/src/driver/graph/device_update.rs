//! Nodes whose parameters a kernel may update.

use super::{Graph, Node, explain};
use crate::{
    driver::{attributes::make_device_updatable, error::Error},
    marshal::KernelArgs,
};
use cudarc::driver::sys::CUdeviceptr;

impl Graph {
    /// Allows kernels to update the parameters of a node, and returns the handle by which they name it: what
    /// `cudaGraphKernelNodeSetParam` takes as `cudaGraphDeviceNode_t`. It is valid as long as the graph.
    ///
    /// The offset of a field, which that function takes as well, is [`offset_of`](crate::args::offset_of). A graph with such a node
    /// is instantiated once, and [uploaded](super::GraphExec::upload) before its first launch and after each update of the
    /// node by the host. What a kernel writes as a parameter is not compared with anything.
    ///
    /// # Errors
    /// [`Error::Graph`] where the node belongs to another graph, or the driver returns an error: it needs CUDA 12.4.
    pub fn make_device_updatable<A: KernelArgs>(
        &mut self,
        node: &Node<A>,
    ) -> Result<CUdeviceptr, Error> {
        if node.any.graph != self.id {
            return Err(explain::foreign_node(
                Some(node.kernel.name().into()),
                explain::DEVICE_UPDATABLE,
            ));
        }
        self.context.bind_to_thread().map_err(Error::context)?;
        // SAFETY: the graph is alive, and the node is a kernel node of it.
        let handle = unsafe { make_device_updatable(self.handle.api, node.any.node) }?;
        match handle {
            Ok(handle) => Ok(handle.expose_provenance() as CUdeviceptr),
            Err(refused) => Err(explain::call(
                explain::DEVICE_UPDATABLE,
                refused.call,
                refused.status,
            )),
        }
    }
}
