//! Graphs that are nodes of a graph.
//!
//! `add_child_graph` takes the child by value, because each slot has one set of arguments: a graph that could be used again would share its slots
//! with its copy. The driver copies the child; `cuGraphNodeFindInClone`, which is documented for `cuGraphClone` only, finds the copies of its nodes
//! on driver 580, at any depth, so the program's nodes stay valid.

use super::{AnyNode, Dependencies, Graph, explain};
use crate::driver::{context::make_current, error::Error};

impl<B> Graph<B> {
    /// Adds a node that runs the nodes of `child`, after the nodes `after`.
    ///
    /// The nodes of `child` keep their types: [`GraphExec::update`](super::GraphExec::update) takes them, and so does
    /// [`set_enabled`](super::GraphExec::set_enabled), in the instantiated graph that contains `child`. Everything that `child`
    /// retains is then retained by that graph. A node of `child` cannot be a dependency of a node outside of `child`, which depends on
    /// the returned node instead.
    ///
    /// `child` must not contain conditional nodes, and no nodes that allocate or free memory. In a body of a conditional node, `child` must
    /// contain only what a [`Body`](super::Body) can contain.
    ///
    /// # Errors
    /// [`Error::Graph`] if `child` belongs to a different context or contains such nodes, if one of `after` belongs to a
    /// different graph, or the driver returns an error.
    pub fn add_child_graph(&mut self, mut child: Graph, after: impl Dependencies) -> Result<AnyNode, Error> {
        let action = explain::CHILD_ADDED;
        action.check_context(&self.context, "child", &child.context, explain::SAME_CONTEXT)?;
        child.place.check_filled(action)?;
        if child.driver.has_bodies() {
            return Err(action.conditional_in_child());
        }
        if !child.contents.memory.is_empty() {
            return Err(action.memory_in_child());
        }
        let not_in_bodies = child.place.not_in_bodies;
        if let Some(node) = not_in_bodies
            && self.place.is_body()
        {
            return Err(action.child_in_body(node));
        }
        make_current(&self.context)?;
        let node = action.check(self.after(None, after)?.add_child(&child.driver))?;
        self.contents.take_over(node, &mut child.contents);
        self.place.not_in_bodies = self.place.not_in_bodies.or(not_in_bodies);
        Ok(AnyNode(node))
    }
}
