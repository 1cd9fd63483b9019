//! The result of an update of a whole graph.

use super::{Handle, NodeId, graph_nodes::GraphRef};
use core::ptr;
use cudarc::driver::sys::CUgraphNode;

/// `CUgraphExecUpdateResultInfo`, as the driver writes it.
#[repr(C)]
pub(crate) struct UpdateResult {
    /// `CUgraphExecUpdateResult` as a number: newer drivers have further values.
    pub(crate) result: u32,
    node: CUgraphNode,
    from: CUgraphNode,
}

impl UpdateResult {
    /// The value before the call, which is not a result of the driver.
    pub(super) const NONE: Self = Self { result: u32::MAX, node: ptr::null_mut(), from: ptr::null_mut() };

    /// The node of the new graph that does not fit. `None` if the driver names no node, or a node of the other graph.
    pub(crate) fn node(&self, graph: GraphRef<'_>) -> Option<NodeId> {
        let mut nodes = graph.nodes().ok()?.into_iter();
        let named = Handle::new(self.node);
        nodes.find(|node| !self.node.is_null() && node.handle() == named)
    }
}
