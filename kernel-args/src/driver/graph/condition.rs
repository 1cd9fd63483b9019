//! The conditions of conditional nodes.

use super::{Graph, explain};
use crate::{
    device::ConditionalHandle,
    driver::{api::GraphId, context::make_current, error::Error},
};

/// The condition of one conditional node: a number that kernels set.
///
/// [`Graph::add_condition`] creates it; [`add_if`](Graph::add_if), [`add_while`](Graph::add_while) and similar methods take it,
/// because each condition needs exactly one conditional node.
///
/// [`add_if`](Graph::add_if) has an example.
#[derive(Debug)]
#[must_use = "a graph with a condition that no conditional node has cannot be instantiated"]
pub struct Condition {
    handle: ConditionalHandle,
    graph: GraphId,
}

impl Condition {
    /// The handle for kernels, which call `cudaGraphSetConditional(handle, value)`. These kernels must be nodes of the graph that
    /// created the condition, or of a body in it, and run before the conditional node or in its bodies.
    #[must_use]
    pub fn handle(&self) -> ConditionalHandle {
        self.handle
    }

    /// The handle, for a conditional node of `graph`.
    pub(super) fn used_in<B>(self, graph: &Graph<B>) -> Result<u64, Error> {
        if graph.place.is_in(self.graph) {
            return Ok(self.handle.0);
        }
        Err(explain::CONDITIONAL_ADDED.foreign_condition())
    }
}

impl<B> Graph<B> {
    /// Creates a condition for a conditional node of this graph or of a body in it. Its value is `default` at the start of each
    /// launch, until a kernel sets it.
    ///
    /// # Errors
    /// [`Error::OldDriver`] if the driver is older than 12.3; [`Error::Graph`] if it returns an error.
    pub fn add_condition(&mut self, default: u32) -> Result<Condition, Error> {
        make_current(&self.context)?;
        let created = self.driver.as_ref().new_condition((&*self.context).into(), default);
        let handle = ConditionalHandle(explain::CONDITION_CREATED.check(created)?);
        self.contents.unused_conditions += 1;
        Ok(Condition { handle, graph: self.place.own() })
    }
}
