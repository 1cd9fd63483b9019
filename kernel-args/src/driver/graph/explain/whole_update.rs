//! Why the driver does not update a whole graph.

use super::{
    super::{
        explain::{Error, GRAPH_UPDATED},
        node_text::node_text,
    },
    refused::refused,
    returned::{call, returned},
};
use crate::{
    driver::api::{CallError, GraphRef, UpdateResult},
    marshal::ContextName,
};
use core::fmt::Write;
use cudarc::driver::CudaContext;
use std::{format, string::ToString};

/// What a `CUgraphExecUpdateResult` means, and what to do.
const fn meaning(result: u32) -> (&'static str, &'static str) {
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

/// The driver did not update a graph.
#[cold]
pub(in crate::driver::graph) fn graph_update(
    error: CallError,
    result: &UpdateResult,
    old: GraphRef<'_>,
    new: GraphRef<'_>,
) -> Error {
    /// `CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE`.
    const UPDATE_FAILURE: u32 = 910;
    let returned_call = match error {
        CallError::Returned(returned) if returned.status.0 == UPDATE_FAILURE => returned,
        error => return call(GRAPH_UPDATED, error),
    };
    let (reason, help) = meaning(result.result);
    let mut text = format!("{returned_call}\n  {reason}");
    let count = |graph: GraphRef<'_>| {
        let (nodes, edges) = (graph.nodes().ok()?.len(), graph.edges().ok()?.len());
        Some((nodes, edges))
    };
    if let (Some(before), Some(now)) = (count(old), count(new))
        && before != now
    {
        let lines = [("this graph ", before), ("new graph  ", now)];
        for (graph, (nodes, edges)) in lines {
            let _ = write!(text, "\n  {graph} {nodes} nodes, {edges} dependencies");
        }
    }
    let mut kernel = None;
    if let Some(node) = result.node(new) {
        let described = node_text(new, node);
        text.push_str("\n  node        ");
        text.push_str(&described.to_string());
        kernel = described.kernel;
    }
    returned(kernel, GRAPH_UPDATED, returned_call, text, help)
}

/// The new graph belongs to a different context.
#[cold]
pub(in crate::driver::graph) fn foreign_graph(graph: &CudaContext, new: &CudaContext) -> Error {
    let (graph, new) = (ContextName::of(graph), ContextName::of(new));
    let reason = format!(
        "the new graph belongs to another context (another device?)\n  this graph  {graph}\n  new graph   {new}"
    );
    refused(None, GRAPH_UPDATED, reason, "create both graphs with the same context")
}
