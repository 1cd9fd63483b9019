//! Disabled nodes of an instantiated graph.

use super::{AnyNode, GraphExec, explain};
use crate::driver::{
    api::{ExecNode, required},
    error::Error,
};

impl GraphExec {
    /// Enables or disables a node. In later launches a disabled node does nothing, but its dependencies stay in effect.
    /// Nodes of kernels, copies and memsets can be disabled.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node belongs to a different graph, or the driver returns an error.
    pub fn set_enabled(&mut self, node: impl Into<AnyNode>, enabled: bool) -> Result<(), Error> {
        required!(self.driver.api(), cuGraphNodeSetEnabled)?;
        let node = self.node(node.into())?;
        let set = node.set_enabled(enabled);
        set.map_err(|error| explain::call(explain::ENABLED, error))
    }

    /// Whether a node is enabled.
    ///
    /// # Errors
    /// Same as [`set_enabled`](Self::set_enabled).
    pub fn is_enabled(&mut self, node: impl Into<AnyNode>) -> Result<bool, Error> {
        required!(self.driver.api(), cuGraphNodeGetEnabled)?;
        let enabled = self.node(node.into())?.is_enabled();
        enabled.map_err(|error| explain::call(explain::ENABLED, error))
    }

    fn node(&self, node: AnyNode) -> Result<ExecNode<'_>, Error> {
        let Some(node) = self.driver.node(node.0) else {
            let graph = self.driver.graph();
            return Err(explain::not_of_graph(graph, node.0, None, explain::ENABLED));
        };
        self.context.bind_to_thread().map_err(Error::context)?;
        Ok(node)
    }
}
