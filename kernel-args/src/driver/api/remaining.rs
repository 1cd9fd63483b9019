//! The nodes of a graph from which nodes were removed.
//!
//! The driver gives the handle of a removed node to the next node. Therefore each removal gives the graph a new id, and the
//! nodes that are added afterwards have the new id: no two nodes have the same handle and the same id.

use super::{
    Handle,
    node_id::{GraphId, NodeId},
};
use core::cell::RefCell;
use cudarc::driver::sys::CUgraphNode_st;
use std::collections::{BTreeMap, BTreeSet};

type NodeHandle = Handle<CUgraphNode_st>;

/// Empty until a node is removed.
#[derive(Default)]
pub(super) struct Remaining(RefCell<Option<Nodes>>);

struct Nodes {
    /// The id that the graph had when the node was added.
    ids: BTreeMap<NodeHandle, GraphId>,
    /// The ids that the graph had before it removed nodes.
    former: BTreeSet<GraphId>,
}

impl Remaining {
    /// The id of a node, if a node was removed before.
    pub(super) fn id_of(&self, node: NodeHandle) -> Option<GraphId> {
        self.0.borrow().as_ref()?.ids.get(&node).copied()
    }

    /// Whether it is a node of the graph that was added before the last removal.
    pub(super) fn contains(&self, node: NodeId) -> bool {
        self.id_of(node.handle()).is_some_and(|graph| node.is_of(graph))
    }

    /// Whether it was a node of the graph.
    pub(super) fn had(&self, node: NodeId) -> bool {
        let nodes = self.0.borrow();
        let former = nodes.as_ref().map(|nodes| &nodes.former);
        former.is_some_and(|former| former.contains(&node.graph())) && !self.contains(node)
    }

    /// Adds a node of the graph with this id.
    pub(super) fn add(&self, node: NodeId) {
        if let Some(nodes) = &mut *self.0.borrow_mut() {
            nodes.ids.insert(node.handle(), node.graph());
        }
    }

    /// A node that nothing has seen is removed.
    pub(super) fn forget(&self, node: NodeId) {
        if let Some(nodes) = &mut *self.0.borrow_mut() {
            nodes.ids.remove(&node.handle());
        }
    }

    /// A node was removed from the graph with the id `now`. `all` are the nodes before the first removal.
    pub(super) fn remove(&self, node: NodeId, now: GraphId, all: impl Iterator<Item = NodeHandle>) {
        let mut nodes = self.0.borrow_mut();
        let nodes =
            nodes.get_or_insert_with(|| Nodes { ids: all.map(|node| (node, now)).collect(), former: BTreeSet::new() });
        nodes.ids.remove(&node.handle());
        nodes.former.insert(now);
    }

    /// Whether no node was removed before.
    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_none()
    }
}
