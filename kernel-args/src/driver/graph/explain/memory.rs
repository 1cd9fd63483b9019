//! Errors of memory that a graph allocates.

use super::{
    super::explain::{ADDED, ALLOCATED, Error, UPDATED},
    refused::{refusals, refused},
};
use std::{format, string::String};

refusals! {
    /// The memory belongs to a different graph.
    foreign_memory =
        "the memory belongs to another graph",
        "pass memory that `Graph::add_alloc` of the same graph has returned";
    /// The graph already frees the memory.
    freed_twice =
        "the graph frees this memory already",
        "add one free node for each allocation";
    /// The graph frees the memory, so a launch leaves nothing.
    freed_by_graph =
        "the graph frees this memory itself",
        "to use the memory after a launch, do not call `add_free`; or copy it to the host in the graph with `add_memcpy_dtoh`";
    /// No launch has allocated the memory since it was taken.
    not_allocated =
        "no launch has allocated the memory, or it was taken after the last launch",
        "launch the graph first, and take the memory once after each launch";
    /// A child graph allocates or frees memory.
    memory_in_child =
        "a child graph must not allocate or free memory",
        "call `add_alloc` and `add_free` of the graph around it, and pass the memory to the nodes of the child graph: the node of the child \
         graph must run after the allocation and before the free";
    /// The nodes of two graphs have different conditions.
    graph_with_conditions =
        "a graph with conditional nodes cannot be updated as a whole, because kernels set the conditions of their own graph",
        "update single nodes with `GraphExec::update`, or instantiate the new graph";
    /// CUDA does not allow this for graphs with memory nodes.
    graph_with_memory =
        "CUDA does not allow this for a graph that allocates or frees memory",
        "update single nodes with `GraphExec::update`, or create the graph again without the node";
}

/// No elements, or more bytes than the address space.
#[cold]
pub(in crate::driver::graph) fn bad_allocation(elements: usize, size: usize) -> Error {
    let reason = if elements == 0 {
        "no elements are to be allocated".into()
    } else {
        format!("{elements} elements of {size} bytes exceed the address space")
    };
    let help = "pass the number of elements, at least 1";
    refused(None, ALLOCATED, reason, help)
}

/// The name of an argument in a sentence.
fn argument(field: &str) -> String {
    if field.is_empty() { "the node uses".into() } else { format!("`{field}` points to") }
}

/// A new node uses memory that the graph frees.
#[cold]
pub(in crate::driver::graph) fn used_after_free(kernel: Option<String>, field: &str) -> Error {
    let uses = argument(field);
    let reason = format!("{uses} memory that the graph frees, and a new node cannot run before the free");
    refused(kernel, ADDED, reason, "call `add_free` after all nodes that use the memory were added")
}

/// The new arguments of a node use memory that is not allocated yet when the node runs.
#[cold]
pub(in crate::driver::graph) fn not_after_alloc(kernel: String, field: &str) -> Error {
    let reason =
        format!("`{field}` points to memory of the graph, but the node does not run after the node that allocates it");
    let help =
        "add the node with `GraphMemory::node` as a dependency: an instantiated graph cannot get new dependencies";
    refused(Some(kernel), UPDATED, reason, help)
}

/// The new arguments of a node use memory that can be freed before the node runs.
#[cold]
pub(in crate::driver::graph) fn not_before_free(kernel: String, field: &str) -> Error {
    let reason = format!("`{field}` points to memory that the graph frees, but the free does not wait for the node");
    let help = "pass the node to `add_free` as a dependency: an instantiated graph cannot get new dependencies";
    refused(Some(kernel), UPDATED, reason, help)
}

/// A copy or memset exceeds its memory.
#[cold]
pub(in crate::driver::graph) fn beyond_memory(offset: usize, width: usize, bytes: usize) -> Error {
    let reason = format!("{width} bytes at offset {offset} exceed the {bytes} bytes of the memory");
    refused(None, ADDED, reason, "pass at most as many elements as the memory has")
}
