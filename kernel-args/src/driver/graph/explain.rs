//! The errors of graphs, built on the cold path.

use super::super::{
    api::Status,
    config::Launch,
    error::{Error, GraphError},
    explain::meaning,
};
use crate::marshal::{ContextName, DecodedArguments};
use cudarc::driver::{CudaContext, CudaStream};
use std::{boxed::Box, format, string::String};

/// What was not done.
pub(super) const ADDED: &str = "the node was not added";
pub(super) const UPDATED: &str = "the node was not updated";
pub(super) const CAPTURED: &str = "the launch was not captured";
pub(super) const FOUND: &str = "the nodes were not found";
pub(super) const ENABLED: &str = "the node was not enabled or disabled";
pub(super) const DEVICE_UPDATABLE: &str = "the node was not made device-updatable";
pub(super) const INSTANTIATED: &str = "the graph was not instantiated";
pub(super) const UPLOADED: &str = "the graph was not uploaded";
pub(super) const LAUNCHED: &str = "the graph was not launched";
pub(super) const CAPTURE_BEGUN: &str = "the capture was not begun";
pub(super) const CAPTURE_ENDED: &str = "the stream was not captured";
pub(super) const RETAINED: &str = "the graph cannot retain anything";

#[cold]
fn refused(
    kernel: Option<String>,
    action: &'static str,
    reason: String,
    help: &'static str,
) -> Error {
    Error::Graph(Box::new(GraphError {
        kernel,
        action,
        reason,
        status: None,
        help,
    }))
}

#[cold]
fn returned(
    kernel: Option<String>,
    action: &'static str,
    status: Status,
    reason: String,
    help: &'static str,
) -> Error {
    Error::Graph(Box::new(GraphError {
        kernel,
        action,
        reason,
        status: Some(status),
        help,
    }))
}

/// The driver rejected a kernel node, or its update.
#[cold]
pub(super) fn node(
    kernel: String,
    action: &'static str,
    call: &'static str,
    status: Status,
    launch: &Launch<'_>,
    arguments: &DecodedArguments<'_>,
) -> Error {
    let meaning = match status.0 {
        1 if action == UPDATED => "the driver does not allow this change of an instantiated graph",
        _ => meaning(status, false),
    };
    let help = match status.0 {
        1 if action == UPDATED => {
            "an update changes the grid, the block, the shared memory and the arguments of a node; another context, a \
             cooperative launch, other attributes, other nodes or dependencies need a new graph"
        }
        1 => "compare the grid, the block and the shared memory with what the kernel allows",
        400 => "keep the context and the graph alive, and pass nodes of this graph only",
        _ => "",
    };
    let mut reason = format!(
        "{call} returned {status}\n  {meaning}\n  grid {}, block {}, {} bytes of dynamic shared memory",
        launch.grid, launch.block, launch.shared
    );
    let arguments = format!("{arguments}");
    if !arguments.is_empty() {
        reason.push('\n');
        reason.push_str(&arguments);
    }
    returned(Some(kernel), action, status, reason, help)
}

/// The driver returned an error from a call for a graph, or for a node of one.
#[cold]
pub(super) fn call(action: &'static str, call: &'static str, status: Status) -> Error {
    let (reason, help) = match (action, status.0) {
        (INSTANTIATED, 1) => (
            "",
            "a graph has no cycle; with a device-updatable node, or with nodes that allocate memory, it is instantiated once",
        ),
        (LAUNCHED, 1) => (
            "",
            "a graph that allocates memory frees it before it is launched again",
        ),
        (ENABLED, 1) => (
            "",
            "only nodes of kernels, copies and memsets of this graph can be disabled",
        ),
        (DEVICE_UPDATABLE, 1 | 801) => (
            "",
            "device-updatable nodes need a driver of CUDA 12.4 or newer, and a kernel that is not launched cooperatively",
        ),
        (_, 901) => (
            "an earlier call on the captured streams was not allowed and has ended the capture",
            "look at the error of that call: waiting for work outside of the capture, synchronizing, and a refused launch end it",
        ),
        (_, 904) => (
            "a stream that takes part in the capture has work that the captured stream does not wait for",
            "make the captured stream wait for the other one before the capture ends: `stream.join(&other)`",
        ),
        (LAUNCHED, 900) => (
            "a graph cannot be launched on a stream that is being captured, and the capture is over",
            "launch it before or after the capture, or capture the launches of its kernels",
        ),
        (_, 900 | 906) => (
            "the default stream cannot be captured, nor used while a stream that waits for it is captured",
            "capture a stream that was made with `ctx.new_stream()`",
        ),
        (_, 401) => (
            "the stream is already being captured",
            "end that capture before a new one begins",
        ),
        (_, 700..=720) => (meaning(status, false), ""),
        _ => ("", ""),
    };
    let mut text = format!("{call} returned {status}");
    if !reason.is_empty() {
        text.push_str("\n  ");
        text.push_str(reason);
    }
    returned(None, action, status, text, help)
}

/// The node belongs to another graph, or to one that is gone.
#[cold]
pub(super) fn foreign_node(kernel: Option<String>, action: &'static str) -> Error {
    refused(
        kernel,
        action,
        "it belongs to another graph".into(),
        "pass a node of the graph that was instantiated: `Graph::add_kernel` and a captured launch return it, \
         `Graph::kernel_nodes` finds it",
    )
}

/// A node depends on one of another graph.
#[cold]
pub(super) fn foreign_dependency(kernel: Option<String>, index: usize) -> Error {
    refused(
        kernel,
        ADDED,
        format!("the dependency at index {index} belongs to another graph"),
        "a node depends on nodes of its own graph only",
    )
}

/// A kernel of another context than the graph's.
#[cold]
pub(super) fn foreign_kernel(kernel: String, graph: &CudaContext, loaded: &CudaContext) -> Error {
    refused(
        Some(kernel),
        ADDED,
        format!(
            "the kernel was loaded in another context (another device?) than the graph's\n  \
             graph   {}\n  kernel  {}",
            ContextName::of(graph),
            ContextName::of(loaded)
        ),
        "make the graph with the context in which the kernel was loaded",
    )
}

/// A stream of another context than the graph's.
#[cold]
pub(super) fn foreign_stream(
    action: &'static str,
    graph: &CudaContext,
    stream: &CudaStream,
) -> Error {
    refused(
        None,
        action,
        format!(
            "the stream belongs to another context (another device?) than the graph\n  \
             graph   {}\n  stream  {}",
            ContextName::of(graph),
            ContextName::of(stream.context())
        ),
        "use a stream of the graph's context",
    )
}

/// A node was given a stream.
#[cold]
pub(super) fn stream_of_a_node(kernel: String, action: &'static str) -> Error {
    refused(
        Some(kernel),
        action,
        "a node of a graph has no stream".into(),
        "leave `stream` out; the graph is launched on a stream",
    )
}

/// A node that is added or updated names launch attributes.
#[cold]
pub(super) fn attributes_of_a_node(kernel: String, action: &'static str) -> Error {
    refused(
        Some(kernel),
        action,
        "launch attributes cannot be given to a node".into(),
        "capture a launch that has them: the node keeps them, and its updates do not name them",
    )
}

/// A launch is to be captured, but its stream is not.
#[cold]
pub(super) fn not_capturing(kernel: String, broken: bool) -> Error {
    if broken {
        return refused(
            Some(kernel),
            CAPTURED,
            "an earlier call on the captured streams was not allowed and has ended the capture"
                .into(),
            "look at the error of that call",
        );
    }
    refused(
        Some(kernel),
        CAPTURED,
        "the stream is not being captured".into(),
        "launch inside of `Graph::capture(&stream, || …)`, and name that stream: `stream = &stream`",
    )
}

/// A launch was captured, but another one was captured on the same stream at the same time.
#[cold]
pub(super) fn ambiguous_node(kernel: String) -> Error {
    refused(
        Some(kernel),
        "the node of the captured launch was not found",
        "another thread uses the captured stream at the same time".into(),
        "use a captured stream on one thread only",
    )
}

/// Nothing was captured.
#[cold]
pub(super) fn nothing_captured() -> Error {
    refused(
        None,
        CAPTURE_ENDED,
        "the driver returned no graph".into(),
        "end a capture on the stream and the thread on which it was begun",
    )
}

/// The node cannot retain arguments.
#[cold]
pub(super) fn cannot_retain(kernel: String) -> Error {
    refused(
        Some(kernel),
        UPDATED,
        "the graph was instantiated before this node was found, and cannot retain the arguments"
            .into(),
        "find the node with `Graph::kernel_nodes` before the graph is instantiated, capture it with `launch!(…, node)`, or \
         use `GraphExec::update_unretained` and keep the memory allocated",
    )
}

/// There is no thread to drop what a graph retains.
#[cold]
pub(super) fn no_thread() -> Error {
    refused(
        None,
        RETAINED,
        "the system started no thread on which it could be released".into(),
        "let this process start one thread more",
    )
}

/// A copy or a memset of nothing, or of more bytes than memory can have.
#[cold]
pub(super) fn bad_length(elements: usize, size: usize) -> Error {
    if elements == 0 {
        return refused(
            None,
            ADDED,
            "there is nothing to copy or to set".into(),
            "do not add a node for zero elements",
        );
    }
    refused(
        None,
        ADDED,
        format!("{elements} elements of {size} bytes are more than memory can have"),
        "pass the number of elements, not of bytes",
    )
}
