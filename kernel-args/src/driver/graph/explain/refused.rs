//! Errors that are detected before the driver is called.

use super::super::explain::{ADDED, Error, GraphError};
use crate::{
    driver::api::{GraphRef, NodeId},
    marshal::ContextName,
};
use cudarc::driver::{CudaContext, CudaStream};
use std::{boxed::Box, format, string::String};

#[cold]
pub(super) fn refused(kernel: Option<String>, action: &'static str, reason: String, help: &'static str) -> Error {
    Error::Graph(Box::new(GraphError { kernel, action, reason, status: None, help }))
}

/// Errors with a constant text. `kernel` is the name of the kernel, if there is one; `action` is the action that
/// failed.
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident = $reason:literal, $help:expr;)*) => {$(
        $(#[$doc])*
        #[cold]
        pub(in crate::driver::graph) fn $name(
            kernel: Option<std::string::String>,
            action: &'static str,
        ) -> Error {
            refused(kernel, action, $reason.into(), $help)
        }
    )*};
}
pub(super) use refusals;

refusals! {
    /// The node belongs to a different graph, or to a graph that no longer exists.
    foreign_node =
        "it belongs to another graph",
        "pass a node of the graph that was instantiated: `Graph::add_kernel` and a captured launch return it, \
         `Graph::kernel_nodes` finds it";
    /// The node was removed from this graph.
    removed_node =
        "it was removed from this graph",
        "drop the node after `Graph::remove`; a node that is added later is another node, even if the driver gives it the same handle";
    /// A stream was specified for a node.
    stream_of_a_node =
        "a node of a graph has no stream",
        "remove `stream`; the graph is launched on a stream";
    /// An update of a node specifies launch attributes.
    attributes_of_an_update =
        "an update cannot change the launch attributes of a node",
        "remove them: the node keeps the attributes with which it was added or captured";
    /// The stream of a launch to capture is not capturing.
    not_capturing =
        "the stream is not being captured",
        "launch inside `Graph::capture(&stream, || …)`, on that stream: `stream = &stream`";
    /// The capture was invalidated before the launch.
    broken_capture =
        "an earlier call on the captured streams was not allowed and has ended the capture",
        "see the error of that call";
    /// A launch was captured, but a second launch was captured on the same stream at the same time.
    ambiguous_node =
        "another thread uses the captured stream at the same time",
        "use a captured stream on one thread only";
    /// Nothing was captured.
    nothing_captured =
        "the driver returned no graph",
        "end a capture on the stream and the thread on which it began";
    /// The node cannot retain arguments.
    cannot_retain =
        "the graph was instantiated before this node was found, and cannot retain the arguments",
        "find the node with `Graph::kernel_nodes` before the graph is instantiated, capture it with `launch!(…, node)`, or \
         use `GraphExec::update_unretained` and keep the memory allocated";
    /// The thread that drops retained values could not be started.
    no_thread =
        "the system could not start the thread that drops retained values",
        "allow this process one more thread";
    /// A copy or memset without elements.
    no_elements =
        "there are no elements to copy or to set",
        "do not add a node for zero elements";
}

/// A node depends on a node of a different graph.
#[cold]
pub(in crate::driver::graph) fn foreign_dependency(kernel: Option<String>, index: usize, was_removed: bool) -> Error {
    let (problem, help) = if was_removed {
        ("was removed from this graph", "depend on the nodes before it, or add the new node before the removal")
    } else {
        ("belongs to another graph", "a node can depend only on nodes of its own graph")
    };
    refused(kernel, ADDED, format!("the dependency at index {index} {problem}"), help)
}

/// The node was removed from this graph, or it belongs to a different graph.
#[cold]
pub(in crate::driver::graph) fn not_of_graph(
    graph: GraphRef<'_>,
    node: NodeId,
    kernel: Option<String>,
    action: &'static str,
) -> Error {
    if graph.had(node) { removed_node(kernel, action) } else { foreign_node(kernel, action) }
}

/// A kernel belongs to a different context than the graph.
#[cold]
pub(in crate::driver::graph) fn foreign_kernel(kernel: String, graph: &CudaContext, loaded: &CudaContext) -> Error {
    let (graph, loaded) = (ContextName::of(graph), ContextName::of(loaded));
    refused(
        Some(kernel),
        ADDED,
        format!(
            "the kernel was loaded in another context (another device?) than the graph's\n  \
             graph   {graph}\n  kernel  {loaded}"
        ),
        "create the graph with the context in which the kernel was loaded",
    )
}

/// A stream belongs to a different context than the graph.
#[cold]
pub(in crate::driver::graph) fn foreign_stream(
    action: &'static str,
    graph: &CudaContext,
    stream: &CudaStream,
) -> Error {
    let (graph, stream) = (ContextName::of(graph), ContextName::of(stream.context()));
    refused(
        None,
        action,
        format!(
            "the stream belongs to another context (another device?) than the graph\n  \
             graph   {graph}\n  stream  {stream}"
        ),
        "use a stream of the graph's context",
    )
}

/// An added node specifies an attribute that CUDA supports for launches only.
#[cold]
pub(in crate::driver::graph) fn attribute_of_launches(kernel: String, attribute: &'static str) -> Error {
    refused(
        Some(kernel),
        ADDED,
        format!("`{attribute}` is an attribute of launches, not of nodes"),
        "capture a launch with it, `Graph::capture`: CUDA converts it to dependencies and nodes",
    )
}

/// A copy or memset without elements, or with more bytes than the address space.
#[cold]
pub(in crate::driver::graph) fn bad_length(elements: usize, size: usize) -> Error {
    if elements == 0 {
        return no_elements(None, ADDED);
    }
    refused(
        None,
        ADDED,
        format!("{elements} elements of {size} bytes exceed the address space"),
        "pass the number of elements, not of bytes",
    )
}
