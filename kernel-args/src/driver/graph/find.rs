//! The kernel nodes of a graph that other code has captured.

use super::{AnyNode, Graph, Node, explain, order::ordered, owner::Slot};
use crate::{
    driver::{
        api::{CallError, GraphRef, NodeId},
        error::Error,
        module::Kernel,
    },
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
        self.context.bind_to_thread().map_err(Error::context)?;
        let mut nodes = nodes_of(self.driver.as_ref(), kernel)?;
        for node in &mut nodes {
            let slot = Slot::new(kernel.keep_loaded())?;
            self.contents.added(node.any.0, Some(&slot), &[]);
            node.slot = Some(slot);
        }
        Ok(nodes)
    }
}

/// The nodes of a graph that launch `kernel`, each after its dependencies. A context must be current.
pub(super) fn nodes_of<A: KernelArgs>(graph: GraphRef<'_>, kernel: &Kernel<A>) -> Result<Vec<Node<A>>, Error> {
    let found = |(node, shared)| Node { kernel: kernel.clone(), any: AnyNode(node), shared, cluster: None, slot: None };
    match launches_of(graph, kernel) {
        Ok(launches) => Ok(launches.into_iter().map(found).collect()),
        Err(error) => Err(explain::call(explain::FOUND, error)),
    }
}

/// The nodes, each with its dynamic shared memory.
fn launches_of<A: KernelArgs>(graph: GraphRef<'_>, kernel: &Kernel<A>) -> Result<Vec<(NodeId, u32)>, CallError> {
    let (nodes, edges) = (graph.nodes()?, graph.edges()?);
    let mut launches = Vec::new();
    for id in ordered(&nodes, &edges) {
        let launch = match graph.node(id) {
            Some(node) => node.kernel()?,
            None => None,
        };
        match launch {
            Some((function, shared)) if function.raw() == kernel.cu_function() => {
                launches.push((id, shared));
            }
            _ => {}
        }
    }
    Ok(launches)
}
