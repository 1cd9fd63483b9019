//! The errors of graphs, created on the cold path.

mod reasons;
mod returned;

use crate::driver::{
    api::{CallError, DriverCall, GraphRef, NodeId},
    error::{Error, GraphError, LostContext, Near},
};

pub(super) use {reasons::SAME_CONTEXT, returned::not_updated};

/// What was not done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Action(&'static str);

macro_rules! actions {
    ($($name:ident = $text:literal;)*) => {$(pub(crate) const $name: Action = Action($text);)*};
}

actions! {
    ADDED = "the node was not added";
    CHILD_ADDED = "the child graph was not added";
    CONDITION_CREATED = "the condition was not created";
    CONDITIONAL_ADDED = "the conditional node was not added";
    UPDATED = "the node was not updated";
    CAPTURED = "the launch was not captured";
    FOUND = "the nodes were not found";
    ENABLED = "the node was not enabled or disabled";
    DEVICE_UPDATABLE = "the node was not made device-updatable";
    INSTANTIATED = "the graph was not instantiated";
    UPLOADED = "the graph was not uploaded";
    LAUNCHED = "the graph was not launched";
    CAPTURE_BEGUN = "the capture did not begin";
    CAPTURE_ENDED = "the stream was not captured";
    NODE_FOUND = "the node of the captured launch was not found";
    ALLOCATED = "the allocation was not added";
    TAKEN = "the memory was not taken";
    REMOVED = "the node was not removed";
    GRAPH_UPDATED = "the graph was not updated";
    RETAINED = "the graph cannot retain anything";
}

impl Action {
    pub(crate) fn check<T>(self, outcome: Result<T, CallError>) -> Result<T, Error> {
        outcome.map_err(|error| self.error(error))
    }

    /// `node` is not a node of `graph`.
    #[cold]
    pub(super) fn not_of_graph(self, graph: GraphRef<'_>, node: NodeId, kernel: Option<String>) -> Error {
        if graph.had(node) { self.removed_node(kernel) } else { self.foreign_node(kernel) }
    }

    #[cold]
    fn failed(self, kernel: Option<String>, call: Option<DriverCall>, reason: String, help: &'static str) -> Error {
        let status = call.map(|call| call.status);
        let lost = status.and_then(|status| LostContext::new(status, Near::Nothing));
        Error::Graph(Box::new(GraphError { kernel, action: self.0, reason, status, help, lost }))
    }
}
