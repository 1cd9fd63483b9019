//! Disabled nodes of an instantiated graph.

use super::{AnyNode, GraphExec, explain};
use crate::driver::{api::ExecNode, context::make_current, error::Error};

impl GraphExec {
    /// Enables or disables a node. In later launches a disabled node does nothing, but its dependencies stay in effect.
    /// Nodes of kernels, copies and memsets can be disabled.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node belongs to a different graph, or the driver returns an error.
    pub fn set_enabled(&mut self, node: impl Into<AnyNode>, enabled: bool) -> Result<(), Error> {
        explain::ENABLED.check(self.node(node.into())?.set_enabled(enabled))
    }

    /// Whether a node is enabled.
    ///
    /// # Errors
    /// Same as [`set_enabled`](Self::set_enabled).
    pub fn is_enabled(&mut self, node: impl Into<AnyNode>) -> Result<bool, Error> {
        explain::ENABLED.check(self.node(node.into())?.is_enabled())
    }

    fn node(&self, node: AnyNode) -> Result<ExecNode<'_>, Error> {
        let foreign = || explain::ENABLED.not_of_graph(self.driver.graph(), node.0, None);
        let node = self.driver.node(node.0).ok_or_else(foreign)?;
        make_current(&self.context)?;
        Ok(node)
    }
}
