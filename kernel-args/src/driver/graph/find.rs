//! The kernel nodes of a graph that other code has captured.

use super::{AnyNode, Graph, Node, explain, order::ordered, owner::Slot};
use crate::{
    driver::{api::GraphRef, context::make_current, error::Error, module::Kernel},
    marshal::KernelArgs,
};
use std::vec::Vec;

impl<B> Graph<B> {
    /// The nodes that launch `kernel`, each after its dependencies; independent nodes are in the order of the driver's
    /// list. The nodes of launches that were captured from one stream are therefore in the order of the launches.
    ///
    /// A graph that other code has captured consists of nodes without types. The nodes from this method launch a kernel
    /// that was verified against `A`. They can be updated with arguments that the graph retains.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn kernel_nodes<A: KernelArgs>(&mut self, kernel: &Kernel<A>) -> Result<Vec<Node<A>>, Error> {
        make_current(&self.context)?;
        let mut nodes = nodes_of(self.driver.as_ref(), kernel)?;
        for node in &mut nodes {
            self.retains_for(node)?;
        }
        Ok(nodes)
    }

    /// From now on, the graph can retain arguments for the node.
    pub(super) fn retains_for<A: KernelArgs>(&mut self, node: &mut Node<A>) -> Result<(), Error> {
        let slot = Slot::new(node.kernel.keep_loaded())?;
        self.contents.added(node.any.0, Some(&slot), &[]);
        node.slot = Some(slot);
        Ok(())
    }
}

/// The nodes of a graph that launch `kernel`, each after its dependencies. A context must be current.
pub(super) fn nodes_of<A: KernelArgs>(graph: GraphRef<'_>, kernel: &Kernel<A>) -> Result<Vec<Node<A>>, Error> {
    let (nodes, edges) = (explain::FOUND.check(graph.nodes())?, explain::FOUND.check(graph.edges())?);
    let mut found = Vec::new();
    for node in ordered(&nodes, &edges) {
        found.extend(node_of(graph, AnyNode(node), kernel)?);
    }
    Ok(found)
}

/// `node` as a node of `kernel`; `None` if it launches a different kernel or is not a kernel node.
pub(super) fn node_of<A: KernelArgs>(
    graph: GraphRef<'_>,
    any: AnyNode,
    kernel: &Kernel<A>,
) -> Result<Option<Node<A>>, Error> {
    let Some(node) = graph.node(any.0) else {
        return Ok(None);
    };
    let launch = explain::FOUND.check(node.launch())?.filter(|launch| launch.is_of(kernel.cu_function()));
    Ok(launch.map(|launch| Node { kernel: kernel.clone(), any, shared: launch.shared, cluster: None, slot: None }))
}
