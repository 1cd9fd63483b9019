//! Where a graph is: on its own, or in the body of a conditional node; and what this means for its nodes.

use super::explain::Action;
use crate::driver::{api::GraphId, error::Error};
use std::vec::Vec;

pub(super) struct Place {
    /// Identifies the graph for its conditions.
    own: GraphId,
    /// For a body: the graphs around it.
    around: Vec<GraphId>,
    /// A node that a body of a conditional node must not contain.
    pub(super) not_in_bodies: Option<&'static str>,
    /// The closure that fills a body has returned an error or panicked.
    pub(super) is_unfilled: bool,
}

impl Default for Place {
    fn default() -> Self {
        Self::in_graphs(Vec::new())
    }
}

impl Place {
    fn in_graphs(around: Vec<GraphId>) -> Self {
        Self { own: GraphId::new(), around, not_in_bodies: None, is_unfilled: false }
    }

    /// The place of a body of a node of this graph.
    pub(super) fn of_body(&self) -> Self {
        Self::in_graphs(self.around.iter().copied().chain([self.own]).collect())
    }

    pub(super) fn own(&self) -> GraphId {
        self.own
    }

    pub(super) fn is_body(&self) -> bool {
        !self.around.is_empty()
    }

    /// Whether this is the graph with this id, or in it.
    pub(super) fn is_in(&self, graph: GraphId) -> bool {
        self.own == graph || self.around.contains(&graph)
    }

    pub(super) fn check_filled(&self, action: Action) -> Result<(), Error> {
        if self.is_unfilled { Err(action.unfilled_body()) } else { Ok(()) }
    }
}
