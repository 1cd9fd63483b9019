//! Graphs inside of graphs, and how their nodes are found.

use super::{CallError, Graph, GraphId, GraphNode, GraphRef, NodeId};
use cudarc::driver::sys::CUgraphNode;
use std::collections::BTreeMap;

type Copies = BTreeMap<NodeId, NodeId>;

/// The copy of a child graph, or a body of a conditional node.
pub(super) struct InnerGraph {
    /// The id of the body or of the copy. User code has no node with the id of a copy.
    id: GraphId,
    /// In the graph around it.
    pub(super) node: NodeId,
    /// For a copy: user code has nodes of the child graph. The nodes of a body are not copied.
    copies: Option<Copies>,
    inside: Vec<Self>,
}

impl Graph {
    pub(crate) fn keep_body(&self, node: NodeId, body: &mut Self) {
        self.inside.borrow_mut().push(InnerGraph { id: body.id(), node, copies: None, inside: body.inside.take() });
    }

    pub(crate) fn has_bodies(&self) -> bool {
        InnerGraph::any_body(&self.inside.borrow())
    }
}

impl InnerGraph {
    /// Returns the handle of a node of a graph that is now inside of a graph.
    pub(super) fn find(graphs: &[Self], node: NodeId) -> Option<CUgraphNode> {
        graphs.iter().find_map(|graph| match &graph.copies {
            None if node.is_of(graph.id) => Some(node.raw()),
            copies => {
                let copy = copies.as_ref().and_then(|copies| copies.get(&node));
                copy.map(|copy| copy.raw()).or_else(|| Self::find(&graph.inside, node))
            }
        })
    }

    fn any_body(graphs: &[Self]) -> bool {
        graphs.iter().any(|graph| graph.copies.is_none() || Self::any_body(&graph.inside))
    }

    /// Returns the copy of `child` that `node` has.
    pub(super) fn of_child(child: &Graph, id: NodeId, node: GraphNode<'_>) -> Result<Self, CallError> {
        let (inside, child) = (child.inside.take(), child.as_ref());
        let copy = node.child_graph(GraphId::new())?;
        let copies = copies(child, copy, child.nodes()?.into_iter())?;
        Ok(Self { id: copy.id(), node: id, inside: Self::copied(inside, child, copy, &copies)?, copies: Some(copies) })
    }

    fn copied(
        graphs: Vec<Self>,
        original: GraphRef<'_>,
        copy: GraphRef<'_>,
        copies_of: &Copies,
    ) -> Result<Vec<Self>, CallError> {
        let copied = |inner: Self| {
            let node = copies_of.get(&inner.node).copied();
            let (before, after) = (original.node(inner.node), node.and_then(|node| copy.node(node)));
            let (Some(before), Some(node), Some(after)) = (before, node, after) else {
                return Ok(None);
            };
            let before = before.child_graph(inner.id)?;
            let after = after.child_graph(GraphId::new())?;
            let nodes = inner.copies.unwrap_or_default();
            let current = copies(before, after, nodes.values().copied())?;
            let renewed = nodes.into_iter().filter_map(|(node, at)| Some((node, *current.get(&at)?)));
            let (copies, inside) = (Some(renewed.collect()), Self::copied(inner.inside, before, after, &current)?);
            Ok(Some(Self { id: after.id(), node, copies, inside }))
        };
        graphs.into_iter().map(copied).filter_map(Result::transpose).collect()
    }
}

fn copies(
    original: GraphRef<'_>,
    copy: GraphRef<'_>,
    nodes: impl Iterator<Item = NodeId>,
) -> Result<Copies, CallError> {
    let copied = |node| Some(copy.copy_of(original.node(node)?).map(|copy| (node, copy)));
    nodes.filter_map(copied).collect()
}
