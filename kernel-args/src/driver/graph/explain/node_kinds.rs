//! Errors of host functions, events, child graphs and conditional nodes, before the driver is called.

use super::{
    super::explain::{ADDED, CHILD_ADDED, CONDITIONAL_ADDED, Error},
    refused::{refusals, refused},
    returned::NOT_IN_CHILD_GRAPHS,
};
use crate::marshal::ContextName;
use cudarc::driver::CudaContext;
use std::format;

refusals! {
    /// A body was not filled, and the program has ignored the error.
    unfilled_body =
        "a body of one of its conditional nodes was not filled: its closure returned an error or panicked",
        "create a new graph";
    /// A condition belongs to a different graph.
    foreign_condition =
        "the condition belongs to another graph",
        "create the condition with `add_condition` of the graph, or of a graph around this body";
    /// A switch without bodies.
    no_cases =
        "a `switch` has at least one body",
        "pass the number of bodies";
    /// A child graph with a conditional node.
    conditional_in_child =
        "the child graph contains a conditional node",
        NOT_IN_CHILD_GRAPHS;
}

fn of_two_contexts(
    action: &'static str,
    what: &'static str,
    [graph, other]: [&CudaContext; 2],
    help: &'static str,
) -> Error {
    let (graph, other) = (ContextName::of(graph), ContextName::of(other));
    let reason = format!(
        "the {what} belongs to another context (another device?) than the graph\n  \
         graph   {graph}\n  {what:<7} {other}"
    );
    refused(None, action, reason, help)
}

/// An event to record belongs to a different context than the graph.
#[cold]
pub(in crate::driver::graph) fn foreign_event(graph: &CudaContext, event: &CudaContext) -> Error {
    let help = "record an event that was created with the graph's context";
    of_two_contexts(ADDED, "event", [graph, event], help)
}

/// A child graph belongs to a different context than the graph.
#[cold]
pub(in crate::driver::graph) fn foreign_child(graph: &CudaContext, child: &CudaContext) -> Error {
    let help = "create both graphs with the same context";
    of_two_contexts(CHILD_ADDED, "child", [graph, child], help)
}

/// A child graph in a body contains a node that bodies must not contain.
#[cold]
pub(in crate::driver::graph) fn child_in_body(node: &'static str) -> Error {
    refused(
        None,
        CHILD_ADDED,
        format!("it contains {node}, and the graph is a body of a conditional node"),
        "add nodes of host functions and events, and copies from and to the host, outside of conditional nodes",
    )
}

/// The driver is too old for a conditional node. The versions are as in `cuDriverGetVersion`.
#[cold]
pub(in crate::driver::graph) fn older_than(what: &str, version: i32, needed: i32) -> Error {
    let cuda = |version: i32| format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
    refused(
        None,
        CONDITIONAL_ADDED,
        format!("{what} needs a driver of {}, and this driver is of {}", cuda(needed), cuda(version)),
        "install a newer driver",
    )
}
