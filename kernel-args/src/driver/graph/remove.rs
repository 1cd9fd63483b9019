//! Nodes that are removed from a graph.

use super::{AnyNode, Graph, explain};
use crate::driver::{context::make_current, error::Error};

impl Graph {
    /// Removes a node and its dependencies, and releases what the node has retained: `cuGraphDestroyNode`.
    ///
    /// The nodes after it no longer wait for the nodes before it. The removed node, and every clone of it, is then rejected: an error
    /// reports that it was removed, even if the driver gives its handle to a new node.
    ///
    /// A node of a child graph, or of a body of a conditional node, cannot be removed alone.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node was removed before or belongs to a different graph, if the graph allocates or frees memory, or if the
    /// driver returns an error.
    pub fn remove(&mut self, node: impl Into<AnyNode>) -> Result<(), Error> {
        let AnyNode(id) = node.into();
        let graph = self.driver.as_ref();
        if graph.node(id).is_none() {
            return Err(explain::REMOVED.not_of_graph(graph, id, None));
        }
        if !self.contents.memory.is_empty() {
            return Err(explain::REMOVED.graph_with_memory());
        }
        make_current(&self.context)?;
        explain::REMOVED.check(self.driver.remove(id))?;
        self.contents.removed(id);
        Ok(())
    }
}
