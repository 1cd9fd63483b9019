//! The nodes of a graph and their dependencies.

use super::{AnyNode, Graph, GraphExec, Node, contents::new_slot, explain, node_text::NodeKind};
use crate::{
    driver::{
        api::{GraphNode, GraphRef, NodeId},
        context::make_current,
        error::Error,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use std::collections::{BTreeMap, BTreeSet};

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

/// Methods of both types of graphs.
macro_rules! structure {
    ($($ty:ident, $graph:ident;)*) => {$(
        impl $ty {
            /// Returns all nodes, in the order of the driver's list.
            ///
            /// # Errors
            /// [`Error::Graph`].
            pub fn nodes(&self) -> Result<Vec<AnyNode>, Error> {
                let nodes = explain::FOUND.check(self.driver.$graph().nodes())?;
                Ok(nodes.into_iter().map(AnyNode).collect())
            }

            /// Returns all dependencies: the second node of each pair runs after the first.
            ///
            /// # Errors
            /// [`Error::Graph`].
            pub fn edges(&self) -> Result<Vec<(AnyNode, AnyNode)>, Error> {
                let edges = explain::FOUND.check(self.driver.$graph().edges())?;
                Ok(edges.into_iter().map(|(from, to)| (AnyNode(from), AnyNode(to))).collect())
            }

            /// Returns the nodes on which `node` depends directly.
            ///
            /// # Errors
            /// [`Error::Graph`] if the node was removed or belongs to a different graph.
            pub fn predecessors(&self, node: impl Into<AnyNode>) -> Result<Vec<AnyNode>, Error> {
                neighbours(self.driver.$graph(), node.into(), |(from, to)| (to, from))
            }

            /// Returns the nodes that depend directly on `node`.
            ///
            /// # Errors
            /// As for [`predecessors`](Self::predecessors).
            pub fn successors(&self, node: impl Into<AnyNode>) -> Result<Vec<AnyNode>, Error> {
                neighbours(self.driver.$graph(), node.into(), |edge| edge)
            }

            /// Returns what `node` does.
            ///
            /// # Errors
            /// As for [`predecessors`](Self::predecessors).
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

impl<B> Graph<B> {
    /// Returns the nodes that launch `kernel`, each after its dependencies; independent nodes are in the order of the
    /// driver's list. So the launches that were captured from one stream are in their order.
    ///
    /// Use it for a graph that other code has captured. The kernel was verified against `A`, and the nodes can be
    /// updated with arguments that the graph retains.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn kernel_nodes<A: KernelArgs>(&mut self, kernel: &Kernel<A>) -> Result<Vec<Node<A>>, Error> {
        make_current(&self.context)?;
        let mut nodes = nodes_of(self.driver.as_ref(), kernel)?;
        nodes.iter_mut().try_for_each(|node| self.retains_for(node))?;
        Ok(nodes)
    }

    /// From now on, the graph can retain arguments for the node.
    fn retains_for<A: KernelArgs>(&mut self, node: &mut Node<A>) -> Result<(), Error> {
        node.slot = Some(new_slot(node.kernel.keep_loaded())?);
        self.contents.added(node.any.0, node.slot.as_ref(), &[]);
        Ok(())
    }
}

impl Graph {
    /// `node` as a node of `kernel`, which can be updated with arguments that the graph retains. `None` if it launches
    /// a different kernel or is not a kernel node.
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
        let mut node = node_of(self.driver.as_ref(), any, kernel)?;
        if let Some(node) = &mut node {
            self.retains_for(node)?;
        }
        Ok(node)
    }
}

/// A context must be current.
pub(super) fn nodes_of<A: KernelArgs>(graph: GraphRef<'_>, kernel: &Kernel<A>) -> Result<Vec<Node<A>>, Error> {
    let (nodes, edges) = (explain::FOUND.check(graph.nodes())?, explain::FOUND.check(graph.edges())?);
    let mut found = Vec::new();
    for node in ordered(&nodes, &edges) {
        found.extend(node_of(graph, AnyNode(node), kernel)?);
    }
    Ok(found)
}

fn node_of<A: KernelArgs>(graph: GraphRef<'_>, any: AnyNode, kernel: &Kernel<A>) -> Result<Option<Node<A>>, Error> {
    let launch = explain::FOUND.check(found(graph, any)?.launch())?;
    let launch = launch.filter(|launch| launch.is_of(kernel.cu_function()));
    Ok(launch.map(|launch| Node { kernel: kernel.clone(), any, shared: launch.shared, cluster: None, slot: None }))
}

/// Returns the nodes, each after its dependencies, otherwise in their original order.
pub(super) fn ordered<N: Copy + Ord>(nodes: &[N], edges: &[(N, N)]) -> Vec<N> {
    let places: BTreeMap<N, usize> = nodes.iter().copied().zip(0..).collect();
    let place = |(from, to): &(N, N)| Some((*places.get(from)?, *places.get(to)?));
    let edges: BTreeSet<(usize, usize)> = edges.iter().filter_map(place).collect();
    let mut waits_for = vec![0_usize; nodes.len()];
    for (_, to) in &edges {
        waits_for[*to] += 1;
    }
    let mut ready: BTreeSet<usize> = (0..nodes.len()).filter(|at| waits_for[*at] == 0).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(at) = ready.pop_first() {
        order.push(nodes[at]);
        for &(_, follower) in edges.range((at, 0)..(at + 1, 0)) {
            waits_for[follower] -= 1;
            if waits_for[follower] == 0 {
                ready.insert(follower);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::ordered;

    #[test]
    fn a_chain_is_ordered_whatever_the_list() {
        let chain: Vec<_> = (1..=50).collect();
        let edges: Vec<_> = chain.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let mut list = chain.clone();
        for turn in 0..50 {
            list.rotate_left(7);
            list.swap(turn, 49 - turn);
            assert_eq!(ordered(&list, &edges), chain);
        }
    }

    #[test]
    fn nodes_that_do_not_depend_on_each_other_keep_their_order() {
        assert_eq!(ordered(&[3, 1, 2], &[]), [3, 1, 2]);
        assert_eq!(ordered(&[3, 1, 2], &[(2, 3)]), [1, 2, 3]);
    }

    #[test]
    fn a_cycle_ends() {
        assert_eq!(ordered(&[1, 2, 3], &[(1, 2), (2, 1), (9, 3)]), [3]);
    }
}
