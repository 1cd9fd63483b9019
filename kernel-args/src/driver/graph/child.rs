//! Graphs that are nodes of a graph.
//!
//! The child is taken by value: otherwise it would share its slots, which have one set of arguments, with its copy.
//! `cuGraphNodeFindInClone` is documented for `cuGraphClone` only, but on driver 580 it also finds the copies of a
//! child's nodes, at any depth.

use super::{AnyNode, Dependencies, Graph, explain};
use crate::driver::{context::make_current, error::Error};

impl<B> Graph<B> {
    /// Adds a node that runs the nodes of `child`, after the nodes `after`.
    ///
    /// In the instantiated graph, [`GraphExec::update`](super::GraphExec::update) and
    /// [`set_enabled`](super::GraphExec::set_enabled) take the nodes of `child`. This graph retains everything that
    /// `child` retains. A node outside of `child` cannot depend on a node of `child`: it depends on the returned node.
    ///
    /// `child` must not contain conditional nodes, and no nodes that allocate or free memory; in a body of a
    /// conditional node, only what a [`Body`](super::Body) can contain.
    ///
    /// # Errors
    /// [`Error::Graph`] if `child` belongs to a different context or contains such nodes, if one of `after` belongs to
    /// a different graph, or the driver returns an error.
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
