//! The nodes of a graph and their dependencies.

use super::{AnyNode, Graph, GraphExec, Node, explain, find::node_of, node_text::NodeKind};
use crate::{
    driver::{
        api::{GraphNode, GraphRef, NodeId},
        context::make_current,
        error::Error,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use std::vec::Vec;

fn found(graph: GraphRef<'_>, node: AnyNode) -> Result<GraphNode<'_>, Error> {
    let foreign = || explain::FOUND.not_of_graph(graph, node.0, None);
    graph.node(node.0).ok_or_else(foreign)
}

fn neighbours(
    graph: GraphRef<'_>,
    node: AnyNode,
    neighbour: impl Fn((NodeId, NodeId)) -> (NodeId, NodeId),
) -> Result<Vec<AnyNode>, Error> {
    found(graph, node)?;
    let pairs = explain::FOUND.check(graph.edges())?.into_iter().map(neighbour);
    Ok(pairs.filter(|(this, _)| *this == node.0).map(|(_, other)| AnyNode(other)).collect())
}

/// The same methods for both types of graphs.
macro_rules! structure {
    ($($ty:ident, $graph:ident;)*) => {$(
        impl $ty {
            /// All nodes, in the order of the driver's list.
            ///
            /// # Errors
            /// [`Error::Graph`].
            pub fn nodes(&self) -> Result<Vec<AnyNode>, Error> {
                let nodes = explain::FOUND.check(self.driver.$graph().nodes())?;
                Ok(nodes.into_iter().map(AnyNode).collect())
            }

            /// All dependencies: the second node of each pair runs after the first.
            ///
            /// # Errors
            /// [`Error::Graph`].
            pub fn edges(&self) -> Result<Vec<(AnyNode, AnyNode)>, Error> {
                let edges = explain::FOUND.check(self.driver.$graph().edges())?;
                Ok(edges.into_iter().map(|(from, to)| (AnyNode(from), AnyNode(to))).collect())
            }

            /// The nodes on which `node` depends directly.
            ///
            /// # Errors
            /// [`Error::Graph`] if the node was removed or belongs to a different graph.
            pub fn predecessors(&self, node: impl Into<AnyNode>) -> Result<Vec<AnyNode>, Error> {
                neighbours(self.driver.$graph(), node.into(), |(from, to)| (to, from))
            }

            /// The nodes that depend directly on `node`.
            ///
            /// # Errors
            /// Same as [`predecessors`](Self::predecessors).
            pub fn successors(&self, node: impl Into<AnyNode>) -> Result<Vec<AnyNode>, Error> {
                neighbours(self.driver.$graph(), node.into(), |edge| edge)
            }

            /// What `node` does.
            ///
            /// # Errors
            /// Same as [`predecessors`](Self::predecessors).
            pub fn kind(&self, node: impl Into<AnyNode>) -> Result<NodeKind, Error> {
                let kind = found(self.driver.$graph(), node.into())?.kind();
                Ok(NodeKind::from_number(explain::FOUND.check(kind)?))
            }
        }
    )*};
}

structure! {
    Graph, as_ref;
    GraphExec, graph;
}

impl Graph {
    /// `node` as a node of `kernel`, which can be updated with arguments that the graph retains. `None` if it launches a different
    /// kernel or is not a kernel node.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node was removed or belongs to a different graph.
    pub fn kernel_node<A: KernelArgs>(
        &mut self,
        node: impl Into<AnyNode>,
        kernel: &Kernel<A>,
    ) -> Result<Option<Node<A>>, Error> {
        let any = node.into();
        make_current(&self.context)?;
        found(self.driver.as_ref(), any)?;
        let mut node = node_of(self.driver.as_ref(), any, kernel)?;
        if let Some(node) = &mut node {
            self.retains_for(node)?;
        }
        Ok(node)
    }
}
