//! Nodes whose parameters a kernel may update.

use super::{
    super::{
        api::{Api, NodeAttribute, Status, required},
        error::Error,
    },
    Graph, Node, explain,
};
use crate::marshal::KernelArgs;
use core::ptr;
use cudarc::driver::sys::CUdeviceptr;

/// `CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`.
const DEVICE_UPDATABLE: u32 = 13;

impl Graph {
    /// Allows kernels to update the parameters of a node, and returns the handle by which they name it: what
    /// `cudaGraphKernelNodeSetParam` takes as `cudaGraphDeviceNode_t`. It is valid as long as the graph.
    ///
    /// The offset of a field, which that function takes as well, is [`offset_of`](crate::offset_of). A graph with such a node
    /// is instantiated once, and [uploaded](super::GraphExec::upload) before its first launch and after each update of the
    /// node by the host. What a kernel writes as a parameter is not compared with anything.
    ///
    /// # Errors
    /// [`Error::Graph`] where the node belongs to another graph, or the driver returns an error: it needs CUDA 12.4.
    pub fn make_device_updatable<A: KernelArgs>(
        &mut self,
        node: &Node<A>,
    ) -> Result<CUdeviceptr, Error> {
        let api = self.handle.api;
        let set = required!(api, cuGraphKernelNodeSetAttribute)?;
        let get = required!(api, cuGraphKernelNodeGetAttribute)?;
        if node.any.graph != self.id {
            return Err(explain::foreign_node(
                Some(node.kernel.name().into()),
                explain::DEVICE_UPDATABLE,
            ));
        }
        self.context.bind_to_thread().map_err(Error::context)?;
        let mut attribute = NodeAttribute {
            device_updatable: 1,
            device_node: ptr::null_mut(),
            rest: [0; 6],
        };
        // SAFETY: the graph is alive, and the node is a kernel node of it; the driver reads 64 bytes.
        let status = unsafe { set(node.any.node, DEVICE_UPDATABLE, &raw const attribute) };
        if status != Status::SUCCESS {
            return Err(explain::call(
                explain::DEVICE_UPDATABLE,
                "cuGraphKernelNodeSetAttribute",
                status,
            ));
        }
        // SAFETY: as above; the driver writes 64 bytes.
        let status = unsafe { get(node.any.node, DEVICE_UPDATABLE, &raw mut attribute) };
        if status != Status::SUCCESS {
            return Err(explain::call(
                explain::DEVICE_UPDATABLE,
                "cuGraphKernelNodeGetAttribute",
                status,
            ));
        }
        Ok(attribute.device_node.expose_provenance() as CUdeviceptr)
    }
}
