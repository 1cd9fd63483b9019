//! Ids of graphs and of their nodes.
//!
//! The driver gives the handle of a removed node to the next node. Each removal gives the graph a new id, which the
//! nodes have that are added afterwards: no two nodes have the same handle and the same id.

use core::{
    cell::RefCell,
    ptr,
    sync::atomic::{AtomicU64, Ordering},
};
use cudarc::driver::sys::CUgraphNode;
use std::collections::{BTreeMap, BTreeSet};

/// The driver can reuse the address of a destroyed graph, but an id is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum GraphId {
    /// Created or listed by this crate.
    Made(u64),
    /// Captured. The driver's id of the capture is unique in the process (CUDA Driver API, `cuStreamGetCaptureInfo`).
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
    /// Its handle.
    node: usize,
    graph: GraphId,
}

impl NodeId {
    /// # Safety
    /// `node` is a node of the graph with this id.
    #[inline(always)]
    pub(super) unsafe fn new(node: CUgraphNode, graph: GraphId) -> Self {
        Self { node: node.expose_provenance(), graph }
    }

    #[inline(always)]
    pub(crate) fn raw(self) -> CUgraphNode {
        ptr::with_exposed_provenance_mut(self.node)
    }

    #[inline(always)]
    pub(crate) fn is_of(self, graph: GraphId) -> bool {
        self.graph == graph
    }
}

/// The nodes of a graph from which nodes were removed. Empty until a node is removed.
#[derive(Default)]
pub(super) struct Remaining(RefCell<Option<Nodes>>);

struct Nodes {
    /// The id that the graph had when the node was added.
    ids: BTreeMap<usize, GraphId>,
    /// The ids that the graph had before it removed nodes.
    former: BTreeSet<GraphId>,
}

impl Remaining {
    pub(super) fn id_of(&self, node: CUgraphNode) -> Option<GraphId> {
        self.0.borrow().as_ref()?.ids.get(&node.addr()).copied()
    }

    /// Returns whether it was added before the last removal, and is alive.
    pub(super) fn contains(&self, node: NodeId) -> bool {
        self.id_of(node.raw()).is_some_and(|graph| node.is_of(graph))
    }

    /// Returns whether it was removed.
    pub(super) fn had(&self, node: NodeId) -> bool {
        let nodes = self.0.borrow();
        let former = nodes.as_ref().map(|nodes| &nodes.former);
        former.is_some_and(|former| former.contains(&node.graph)) && !self.contains(node)
    }

    pub(super) fn add(&self, node: NodeId) {
        if let Some(nodes) = &mut *self.0.borrow_mut() {
            nodes.ids.insert(node.node, node.graph);
        }
    }

    pub(super) fn forget(&self, node: NodeId) {
        if let Some(nodes) = &mut *self.0.borrow_mut() {
            nodes.ids.remove(&node.node);
        }
    }

    /// `now` is the id of the graph until now. `all` are the nodes before the first removal.
    pub(super) fn remove(&self, node: NodeId, now: GraphId, all: &[NodeId]) {
        let mut nodes = self.0.borrow_mut();
        let nodes = nodes.get_or_insert_with(|| Nodes {
            ids: all.iter().map(|node| (node.node, now)).collect(),
            former: BTreeSet::new(),
        });
        nodes.ids.remove(&node.node);
        nodes.former.insert(now);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_none()
    }
}
