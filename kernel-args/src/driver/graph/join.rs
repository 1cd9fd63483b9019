//! Nodes that only wait.

use super::{AnyNode, Dependencies, Graph, explain};
use crate::driver::{api::required, error::Error};

impl<B> Graph<B> {
    /// Adds a node that does nothing and finishes when the nodes `after` have finished. Use it as one dependency instead of several.
    ///
    /// # Errors
    /// [`Error::Graph`] if one of `after` belongs to a different graph, or the driver returns an error.
    pub fn add_join(&mut self, after: impl Dependencies) -> Result<AnyNode, Error> {
        required!(self.driver.api(), cuGraphAddEmptyNode)?;
        let added = self.after(None, after)?.add_join();
        let node = added.map_err(|error| explain::call(explain::ADDED, error))?;
        Ok(AnyNode(node))
    }
}
