//! Nodes of an instantiated graph that are left out.

use super::{AnyNode, GraphExec, explain};
use crate::driver::{
    api::{Api, Status, required},
    error::Error,
};

impl GraphExec {
    /// Enables a node, or disables it: a disabled node does nothing in the launches that follow, and its dependencies stay.
    /// Nodes of kernels, copies and memsets can be disabled.
    ///
    /// # Errors
    /// [`Error::Graph`] where the node belongs to another graph, or the driver returns an error.
    pub fn set_enabled(&mut self, node: impl Into<AnyNode>, enabled: bool) -> Result<(), Error> {
        let set = required!(self.api(), cuGraphNodeSetEnabled)?;
        let node = self.node(node.into(), explain::ENABLED)?;
        // SAFETY: the graph is alive, and the node is one of it.
        match unsafe { set(self.raw(), node.node, u32::from(enabled)) } {
            Status::SUCCESS => Ok(()),
            status => Err(explain::call(
                explain::ENABLED,
                "cuGraphNodeSetEnabled",
                status,
            )),
        }
    }

    /// Whether a node is enabled.
    ///
    /// # Errors
    /// As [`set_enabled`](Self::set_enabled).
    pub fn is_enabled(&mut self, node: impl Into<AnyNode>) -> Result<bool, Error> {
        let get = required!(self.api(), cuGraphNodeGetEnabled)?;
        let node = self.node(node.into(), explain::ENABLED)?;
        let mut enabled = 0;
        // SAFETY: as above; `enabled` outlives the call.
        match unsafe { get(self.raw(), node.node, &raw mut enabled) } {
            Status::SUCCESS => Ok(enabled != 0),
            status => Err(explain::call(
                explain::ENABLED,
                "cuGraphNodeGetEnabled",
                status,
            )),
        }
    }

    fn node(&self, node: AnyNode, action: &'static str) -> Result<AnyNode, Error> {
        if node.graph != self.id && !self.listed.has(node.node) {
            return Err(explain::foreign_node(None, action));
        }
        self.context.bind_to_thread().map_err(Error::context)?;
        Ok(node)
    }
}
