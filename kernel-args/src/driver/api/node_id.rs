//! Ids of graphs and of their nodes.

use super::Handle;
use core::sync::atomic::{AtomicU64, Ordering};
use cudarc::driver::sys::{CUgraphNode, CUgraphNode_st};

/// Identifies the graph of a node. The driver can reuse the address of a destroyed graph, but an id is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum GraphId {
    /// A graph that this crate created or listed.
    Made(u64),
    /// A captured graph. The number is the driver's id of the capture, which is unique in the process (CUDA Driver API,
    /// `cuStreamGetCaptureInfo`).
    Captured(u64),
}

impl GraphId {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Made(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A node that the graph with this id has or had. Only the graph knows whether the node is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId {
    pub(super) node: Handle<CUgraphNode_st>,
    graph: GraphId,
}

impl NodeId {
    /// # Safety
    /// `node` is a node of the graph with this id.
    #[inline(always)]
    pub(super) unsafe fn new(node: CUgraphNode, graph: GraphId) -> Self {
        Self { node: Handle::new(node), graph }
    }

    #[inline(always)]
    pub(crate) fn handle(self) -> Handle<CUgraphNode_st> {
        self.node
    }

    #[inline(always)]
    pub(crate) fn is_of(self, graph: GraphId) -> bool {
        self.graph == graph
    }

    pub(super) fn graph(self) -> GraphId {
        self.graph
    }
}
