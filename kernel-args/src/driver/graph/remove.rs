//! Nodes that are removed from a graph.

use super::{AnyNode, Graph, explain};
use crate::driver::{api::required, error::Error};

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
        required!(self.driver.api(), cuGraphDestroyNode)?;
        let graph = self.driver.as_ref();
        if graph.node(id).is_none() {
            return Err(explain::not_of_graph(graph, id, None, explain::REMOVED));
        }
        if !self.contents.memory.is_empty() {
            return Err(explain::graph_with_memory(None, explain::REMOVED));
        }
        self.context.bind_to_thread().map_err(Error::context)?;
        let removed = self.driver.remove(id);
        removed.map_err(|error| explain::call(explain::REMOVED, error))?;
        self.contents.removed(id);
        Ok(())
    }
}
