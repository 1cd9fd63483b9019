//! Errors that the driver returned for a graph or for one of its nodes.

use super::super::explain::{
    ADDED, ALLOCATED, Asked, CHILD_ADDED, CONDITIONAL_ADDED, CallError, DEVICE_UPDATABLE, DriverCall, ENABLED, Error,
    GraphError, INSTANTIATED, LAUNCHED, REMOVED, Refused, UPDATED, meaning,
};
use crate::device::vector::Dim3;
use core::ops::RangeInclusive;
use std::{
    boxed::Box,
    format,
    string::{String, ToString},
};

#[cold]
pub(super) fn returned(
    kernel: Option<String>,
    action: &'static str,
    call: DriverCall,
    reason: String,
    help: &'static str,
) -> Error {
    Error::Graph(Box::new(GraphError { kernel, action, reason, status: Some(call.status), help }))
}

/// The driver rejected a kernel node, or its update.
#[cold]
pub(in crate::driver::graph) fn node(
    kernel: String,
    action: &'static str,
    call: DriverCall,
    [grid, block]: [Dim3; 2],
    shared: u32,
    arguments: &str,
) -> Error {
    let status = call.status;
    let meaning = match status.0 {
        1 if action == UPDATED => "the driver does not allow this change of an instantiated graph",
        _ => meaning(status, Asked::Launch).map_or("", |meaning| meaning.what),
    };
    let help = match status.0 {
        1 if action == UPDATED => {
            "an update can change the grid, the block, the shared memory and the arguments of a node; for a different context, \
             a cooperative launch, different attributes, nodes or dependencies, create a new graph"
        }
        1 => "compare the grid, the block and the shared memory with what the kernel allows",
        400 => "keep the context and the graph alive, and pass nodes of this graph only",
        _ => "",
    };
    let mut reason =
        format!("{call}\n  {meaning}\n  grid {grid}, block {block}, {shared} bytes of dynamic shared memory");
    if !arguments.is_empty() {
        reason.push('\n');
        reason.push_str(arguments);
    }
    returned(Some(kernel), action, call, reason, help)
}

/// What an error of a call means: the action that failed (`None` for any action); the driver's codes; the reason, if
/// more is known than the code's name; and what to do.
type Cause = (Option<&'static str>, RangeInclusive<u32>, &'static str, &'static str);

/// The first match applies.
const CAUSES: &[Cause] = &[
    (
        Some(INSTANTIATED),
        1..=1,
        "",
        "a graph must have no cycle; each condition needs exactly one conditional node; the bodies of conditional nodes, and \
         the child graphs in them, contain only kernels, copies within device memory, memsets, joins and conditional nodes; a graph with a device-updatable node, or with nodes that allocate memory, can be \
         instantiated only once",
    ),
    (Some(CHILD_ADDED), 801..=801, "", NOT_IN_CHILD_GRAPHS),
    (
        Some(CONDITIONAL_ADDED),
        1..=1,
        "",
        "a conditional node belongs to the graph of its condition or to a body in it; an `if` with an `else`, and a `switch`, \
         need a driver of CUDA 12.8 or newer",
    ),
    (
        Some(LAUNCHED),
        1..=1,
        "",
        "the driver does not name the node: compare the grids, the blocks and the shared memory with what the kernels allow, and the \
         memory of copies and memsets with what is allocated",
    ),
    (Some(INSTANTIATED), 801..=801, "", "a graph that allocates memory can be instantiated only once at a time"),
    (Some(REMOVED), 801..=801, "", "no node can be removed from a graph that allocates or frees memory"),
    (
        Some(ALLOCATED),
        2..=2,
        "the device has less free memory, or the graph needs more addresses than the driver has",
        "allocate fewer elements, or release memory that the driver keeps for graphs: `Graph::trim_memory`",
    ),
    (Some(ENABLED), 1..=1, "", "only nodes of kernels, copies and memsets of this graph can be disabled"),
    (Some(DEVICE_UPDATABLE), 1..=1, "", NEEDS_OF_DEVICE_UPDATABLE),
    (Some(DEVICE_UPDATABLE), 801..=801, "", NEEDS_OF_DEVICE_UPDATABLE),
    (
        None,
        901..=901,
        "an earlier call on the captured streams was not allowed and has ended the capture",
        "see the error of that call: waiting for work outside of the capture, synchronizing, and a rejected launch end the capture",
    ),
    (
        None,
        904..=904,
        "a stream that takes part in the capture has work that the captured stream does not wait for",
        "make the captured stream wait for that stream before the capture ends: `stream.join(&other)`",
    ),
    (
        Some(LAUNCHED),
        900..=900,
        "a graph cannot be launched on a stream that is being captured, and the capture has ended",
        "launch it before or after the capture, or capture the launches of its kernels",
    ),
    (None, 900..=900, DEFAULT_STREAM, CAPTURE_ANOTHER),
    (None, 906..=906, DEFAULT_STREAM, CAPTURE_ANOTHER),
    (None, 401..=401, "the stream is already being captured", "end that capture before a new one begins"),
];

pub(super) const NOT_IN_CHILD_GRAPHS: &str = "a child graph must have no conditional node, and no node that allocates or frees memory: add such nodes to the graph itself";
const NEEDS_OF_DEVICE_UPDATABLE: &str = "device-updatable nodes need a driver of CUDA 12.4 or newer, and a kernel that is \
    not launched cooperatively";
const DEFAULT_STREAM: &str =
    "the default stream cannot be captured, and cannot be used while a stream that waits for it is captured";
const CAPTURE_ANOTHER: &str = "capture a stream that was created with `ctx.new_stream()`";

/// The driver returned an error from a call for a graph or for one of its nodes.
#[cold]
pub(crate) fn call(action: &'static str, error: CallError) -> Error {
    match error {
        CallError::Returned(call) => returned_by(action, call),
        CallError::Unavailable(unavailable) => unavailable.into(),
    }
}

/// The driver rejected the launch of a graph whose previous launch has left memory.
#[cold]
pub(in crate::driver::graph) fn left_memory(call: DriverCall) -> Error {
    let help = "memory that the previous launch has left allocated must be freed before the graph is launched again: add \
                `Graph::add_free`, drop the slice from `GraphExec::take`, or instantiate with `Graph::instantiate_auto_free`";
    returned(None, LAUNCHED, call, call.to_string(), help)
}

/// The driver rejected a graph with conditions that no node has.
#[cold]
pub(in crate::driver::graph) fn unused_conditions(call: DriverCall, count: isize) -> Error {
    let reason = match count {
        1 => format!("{call}\n  a condition of the graph has no conditional node"),
        _ => format!("{call}\n  {count} conditions of the graph have no conditional node"),
    };
    let help = "pass each condition that `Graph::add_condition` returned to `add_if`, `add_while` or `add_switch`, or do not create it";
    returned(None, INSTANTIATED, call, reason, help)
}

/// The driver returned an error from `call`.
#[cold]
pub(in crate::driver::graph) fn returned_by(action: &'static str, call: DriverCall) -> Error {
    let status = call.status;
    let cause = CAUSES.iter().find(|(of, codes, ..)| of.is_none_or(|of| of == action) && codes.contains(&status.0));
    let (reason, help) = match cause {
        Some((.., reason, help)) => (*reason, *help),
        None => meaning(status, Asked::Other).map_or(("", ""), |meaning| (meaning.what, meaning.help)),
    };
    let mut text = call.to_string();
    if !reason.is_empty() {
        text.push_str("\n  ");
        text.push_str(reason);
    }
    returned(None, action, call, text, help)
}

/// The driver rejected an attribute of a node, and the node was removed.
#[cold]
pub(in crate::driver::graph) fn node_attribute(kernel: String, refused: &Refused) -> Error {
    let Refused { attribute, call } = *refused;
    returned(
        Some(kernel),
        ADDED,
        call,
        format!("{call} for `{attribute}`"),
        "add the node without the attribute, or capture a launch that has it",
    )
}
