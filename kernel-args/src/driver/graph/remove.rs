//! Nodes that are removed from a graph.

use super::{AnyNode, Graph, Node, explain, owner::Slot};
use crate::{
    driver::{api::required, error::Error},
    marshal::KernelArgs,
};
use std::{sync::Arc, vec::Vec};

/// A node that [`Graph::remove`] takes: a [`Node`] or an [`AnyNode`], by reference or by value.
pub trait NodeToRemove: sealed::Sealed {}

impl<N: sealed::Sealed> NodeToRemove for N {}

mod sealed {
    use super::{AnyNode, Arc, Slot};

    /// A node, with its slot if it is known.
    pub struct Parts<'n>(pub(super) AnyNode, pub(super) Option<&'n Arc<Slot>>);

    pub trait Sealed {
        fn parts(&self) -> Parts<'_>;
    }
}

impl<A: KernelArgs> sealed::Sealed for Node<A> {
    fn parts(&self) -> sealed::Parts<'_> {
        sealed::Parts(self.any, self.slot.as_ref())
    }
}

impl sealed::Sealed for AnyNode {
    fn parts(&self) -> sealed::Parts<'_> {
        sealed::Parts(*self, None)
    }
}

impl<N: sealed::Sealed> sealed::Sealed for &N {
    fn parts(&self) -> sealed::Parts<'_> {
        (**self).parts()
    }
}

impl Graph {
    /// Removes a node and its dependencies, and releases what the node has retained: `cuGraphDestroyNode`.
    ///
    /// The nodes after it no longer wait for the nodes before it. The removed node, and every clone of it, is then rejected: an error
    /// reports that it was removed, even if the driver gives its handle to a new node.
    ///
    /// A node of a child graph, or of a body of a conditional node, cannot be removed alone.
    ///
    /// What a launch retains that was captured with `launch!(…, node)` is released if its [`Node`] is passed, not an [`AnyNode`].
    /// Otherwise the graph retains it until it is dropped.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node was removed before or belongs to a different graph, if the graph allocates or frees memory, or if the
    /// driver returns an error.
    pub fn remove(&mut self, node: impl NodeToRemove) -> Result<(), Error> {
        let sealed::Parts(AnyNode(id), slot) = node.parts();
        required!(self.driver.api(), cuGraphDestroyNode)?;
        required!(self.driver.api(), cuGraphReleaseUserObject)?;
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
        let slots = self.contents.removed(id);
        let objects: Vec<_> = slots
            .iter()
            .chain(slot)
            .filter_map(|slot| slot.take_object())
            .collect();
        let mut outcome = Ok(());
        for object in objects {
            outcome = outcome.and(self.driver.as_ref().release(object));
        }
        outcome.map_err(|error| explain::call(explain::RELEASED, error))
    }
}
