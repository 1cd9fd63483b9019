//! The nodes of a graph and their dependencies.

use super::{AnyNode, Graph, GraphExec, Node, explain, node_text::NodeKind, owner::Slot};
use crate::{
    driver::{
        api::{GraphNode, GraphRef, Handle, NodeId},
        error::Error,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use std::vec::Vec;

fn found(graph: GraphRef<'_>, node: AnyNode) -> Result<GraphNode<'_>, Error> {
    let foreign = || explain::not_of_graph(graph, node.0, None, explain::FOUND);
    graph.node(node.0).ok_or_else(foreign)
}

fn edges(graph: GraphRef<'_>) -> Result<Vec<(NodeId, NodeId)>, Error> {
    let edges = graph.edges();
    edges.map_err(|error| explain::call(explain::FOUND, error))
}

fn neighbours(
    graph: GraphRef<'_>,
    node: AnyNode,
    neighbour: impl Fn((NodeId, NodeId)) -> (NodeId, NodeId),
) -> Result<Vec<AnyNode>, Error> {
    found(graph, node)?;
    let pairs = edges(graph)?.into_iter().map(neighbour);
    let of_node = pairs.filter(|(this, _)| *this == node.0);
    Ok(of_node.map(|(_, other)| AnyNode(other)).collect())
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
                let nodes = self.driver.$graph().nodes();
                let nodes = nodes.map_err(|error| explain::call(explain::FOUND, error))?;
                Ok(nodes.into_iter().map(AnyNode).collect())
            }

            /// All dependencies: the second node of each pair runs after the first.
            ///
            /// # Errors
            /// [`Error::Graph`].
            pub fn edges(&self) -> Result<Vec<(AnyNode, AnyNode)>, Error> {
                let edges = edges(self.driver.$graph())?.into_iter();
                Ok(edges.map(|(from, to)| (AnyNode(from), AnyNode(to))).collect())
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
                let kind = kind.map_err(|error| explain::call(explain::FOUND, error))?;
                Ok(NodeKind::from_number(kind))
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
        self.context.bind_to_thread().map_err(Error::context)?;
        let launch = found(self.driver.as_ref(), any)?.kernel();
        let launch = launch.map_err(|error| explain::call(explain::FOUND, error))?;
        match launch {
            Some((function, shared)) if function == Handle::new(kernel.cu_function()) => {
                let slot = Slot::new(kernel.keep_loaded())?;
                self.contents.added(any.0, Some(&slot), &[]);
                Ok(Some(Node { kernel: kernel.clone(), any, shared, cluster: None, slot: Some(slot) }))
            }
            _ => Ok(None),
        }
    }
}
