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
        let Some(found) = self.driver.as_ref().node(node.any.0) else {
            return Err(explain::foreign_node(
                Some(node.kernel.name().into()),
                explain::DEVICE_UPDATABLE,
            ));
        };
        self.context.bind_to_thread().map_err(Error::context)?;
        match make_device_updatable(self.driver.api(), found)? {
            Ok(handle) => Ok(handle.expose_provenance() as CUdeviceptr),
            Err(refused) => Err(explain::returned_by(
                explain::DEVICE_UPDATABLE,
                refused.call,
            )),
        }
    }
}
