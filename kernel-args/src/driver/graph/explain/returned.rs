//! Errors that the driver returned for a graph or for one of its nodes.

use super::{
    ALLOCATED, Action, CHILD_ADDED, CONDITIONAL_ADDED, DEVICE_UPDATABLE, ENABLED, GRAPH_UPDATED, INSTANTIATED,
    LAUNCHED, REMOVED, UPDATED,
};
use crate::{
    device::vector::Dim3,
    driver::{
        api::{CallError, DriverCall, GraphRef, UpdateResult},
        error::{Asked, Error, meaning},
        graph::node_text::node_text,
    },
};
use core::fmt::Write;

impl Action {
    /// The driver returned an error from a call for a graph or for one of its nodes.
    #[cold]
    pub(crate) fn error(self, error: CallError) -> Error {
        match error {
            CallError::Returned(call) => self.returned(call),
            CallError::Unavailable(unavailable) => unavailable.into(),
        }
    }

    #[cold]
    pub(in crate::driver::graph) fn returned(self, call: DriverCall) -> Error {
        if call.status.is_fault() {
            return self.failed(None, Some(call), call.to_string(), "");
        }
        let cause = CAUSES.iter().find(|(of, code, ..)| of.is_none_or(|of| of == self) && *code == call.status.0);
        let (reason, help) = match cause {
            Some((.., reason, help)) => (*reason, *help),
            None => meaning(call.status, Asked::Other).map_or(("", ""), |meaning| (meaning.what, meaning.help)),
        };
        let mut text = call.to_string();
        if !reason.is_empty() {
            text.push_str("\n  ");
            text.push_str(reason);
        }
        self.failed(None, Some(call), text, help)
    }

    #[cold]
    pub(in crate::driver::graph) fn rejected_node(
        self,
        kernel: String,
        call: DriverCall,
        [grid, block]: [Dim3; 2],
        shared: u32,
        arguments: &str,
    ) -> Error {
        if call.status.is_fault() {
            return self.failed(Some(kernel), Some(call), call.to_string(), "");
        }
        let meaning = match call.status.0 {
            1 if self == UPDATED => "the driver does not allow this change of an instantiated graph",
            _ => meaning(call.status, Asked::Launch).map_or("", |meaning| meaning.what),
        };
        let help = match call.status.0 {
            1 if self == UPDATED => {
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
        self.failed(Some(kernel), Some(call), reason, help)
    }
}

/// What an error of a call means: the action that failed (`None` for any action); the driver's code; the reason, if
/// more is known than the code's name; and what to do.
type Cause = (Option<Action>, u32, &'static str, &'static str);

const CAUSES: &[Cause] = &[
    (
        Some(INSTANTIATED),
        1,
        "",
        "a graph must have no cycle; each condition needs exactly one conditional node; the bodies of conditional nodes, and \
         the child graphs in them, contain only kernels, copies within device memory, memsets, joins and conditional nodes; a graph with a device-updatable node, or with nodes that allocate memory, can be \
         instantiated only once",
    ),
    (Some(CHILD_ADDED), 801, "", NOT_IN_CHILD_GRAPHS),
    (
        Some(CONDITIONAL_ADDED),
        1,
        "",
        "a conditional node belongs to the graph of its condition or to a body in it; an `if` with an `else`, and a `switch`, \
         need a driver of CUDA 12.8 or newer",
    ),
    (
        Some(LAUNCHED),
        1,
        "",
        "the driver does not name the node: compare the grids, the blocks and the shared memory with what the kernels allow, and the \
         memory of copies and memsets with what is allocated",
    ),
    (Some(INSTANTIATED), 801, "", "a graph that allocates memory can be instantiated only once at a time"),
    (Some(REMOVED), 801, "", "no node can be removed from a graph that allocates or frees memory"),
    (
        Some(ALLOCATED),
        2,
        "the device has less free memory, or the graph needs more addresses than the driver has",
        "allocate fewer elements, or release memory that the driver keeps for graphs: `Graph::trim_memory`",
    ),
    (Some(ENABLED), 1, "", "only nodes of kernels, copies and memsets of this graph can be disabled"),
    (Some(DEVICE_UPDATABLE), 1, "", NEEDS_OF_DEVICE_UPDATABLE),
    (Some(DEVICE_UPDATABLE), 801, "", NEEDS_OF_DEVICE_UPDATABLE),
    (
        None,
        904,
        "a stream that takes part in the capture has work that the captured stream does not wait for",
        "make the captured stream wait for that stream before the capture ends: `stream.join(&other)`",
    ),
    (
        Some(LAUNCHED),
        900,
        "a graph cannot be launched on a stream that is being captured, and the capture has ended",
        "launch it before or after the capture, or capture the launches of its kernels",
    ),
    (None, 900, DEFAULT_STREAM, CAPTURE_ANOTHER),
    (None, 906, DEFAULT_STREAM, CAPTURE_ANOTHER),
    (None, 401, "the stream is already being captured", "end that capture before a new one begins"),
];

pub(super) const NOT_IN_CHILD_GRAPHS: &str = "a child graph must have no conditional node, and no node that allocates or frees memory: add such nodes to the graph itself";
const NEEDS_OF_DEVICE_UPDATABLE: &str = "device-updatable nodes need a driver of CUDA 12.4 or newer, and a kernel that is \
    not launched cooperatively";
const DEFAULT_STREAM: &str =
    "the default stream cannot be captured, and cannot be used while a stream that waits for it is captured";
const CAPTURE_ANOTHER: &str = "capture a stream that was created with `ctx.new_stream()`";

/// Returns what a `CUgraphExecUpdateResult` means, and what to do.
const fn difference(result: u32) -> (&'static str, &'static str) {
    const SAME_CODE: &str = "create both graphs with the same code, which adds the same nodes in the same order; otherwise instantiate the new graph";
    const INSTANTIATE: &str = "instantiate the new graph: `GraphUpdateError::into_graph`";
    match result {
        2 => ("the number of nodes or their dependencies differ", SAME_CODE),
        3 => ("a node has another type in the new graph", SAME_CODE),
        4 => ("a kernel node launches another function, which this driver does not support", INSTANTIATE),
        5 => (
            "the parameters of a node changed in a way that the driver does not support, such as the direction of a copy",
            INSTANTIATE,
        ),
        6 => ("the driver does not support an update of a node of this type", INSTANTIATE),
        7 => (
            "a kernel node launches another function that cannot replace the old one, for example because only one of them launches kernels itself",
            INSTANTIATE,
        ),
        8 => (
            "a kernel node has other attributes that an update cannot change, for example cooperative launch or cluster",
            INSTANTIATE,
        ),
        _ => ("the driver gives no reason", INSTANTIATE),
    }
}

#[cold]
pub(in crate::driver::graph) fn not_updated(
    error: CallError,
    result: &UpdateResult,
    old: GraphRef<'_>,
    new: GraphRef<'_>,
) -> Error {
    /// `CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE`.
    const UPDATE_FAILURE: u32 = 910;
    let call = match error {
        CallError::Returned(call) if call.status.0 == UPDATE_FAILURE => call,
        error => return GRAPH_UPDATED.error(error),
    };
    let (reason, help) = difference(result.result);
    let mut text = format!("{call}\n  {reason}");
    let count = |graph: GraphRef<'_>| Some((graph.nodes().ok()?.len(), graph.edges().ok()?.len()));
    if let (Some(before), Some(now)) = (count(old), count(new))
        && before != now
    {
        for (graph, (nodes, edges)) in [("this graph ", before), ("new graph  ", now)] {
            let _ = write!(text, "\n  {graph} {nodes} nodes, {edges} dependencies");
        }
    }
    let kernel = result.node(new).and_then(|node| {
        let described = node_text(new, node);
        let _ = write!(text, "\n  node        {described}");
        described.kernel
    });
    GRAPH_UPDATED.failed(kernel, Some(call), text, help)
}
