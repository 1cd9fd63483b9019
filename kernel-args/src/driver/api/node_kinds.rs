//! Nodes that are neither kernels, copies nor memsets: joins, host functions, events, child graphs, and conditional nodes.

use super::{
    After, CallError, ContextHandle, EventHandle, Graph, GraphId, GraphNode, GraphRef, Handle, NodeId, Status,
    entry_points::required,
};
use core::{
    ffi::{c_int, c_uint, c_void},
    marker::PhantomData,
    mem, ptr,
};
use cudarc::driver::sys::{CUcontext, CUgraph, CUgraphNode, CUgraphNode_st};
use std::{collections::BTreeMap, sync::Arc, vec::Vec};

/// A call that adds a node of which `X` is the only property.
pub(super) type AddKind<X> = unsafe extern "C" fn(&mut CUgraphNode, CUgraph, *const CUgraphNode, usize, X) -> Status;

/// `CUDA_HOST_NODE_PARAMS`, the first version: a function, and a pointer that it accepts while the graph can be launched.
#[repr(C)]
pub(crate) struct HostNodeParams {
    pub(super) function: unsafe extern "C" fn(*mut c_void),
    pub(super) data: *mut c_void,
}

/// A function that a host node calls. It can be called on any thread, and by several launches at the same time.
pub(crate) trait HostFunction: Send + Sync + 'static {
    /// A panic ends the process, because it cannot unwind into the driver.
    fn run(&self);
}

/// What a conditional node does with its bodies: `CUgraphConditionalNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum ConditionalKind {
    If = 0,
    While = 1,
    Switch = 2,
}

/// `CUgraphNodeParams` with the `CUDA_CONDITIONAL_NODE_PARAMS` of a node in a live context.
#[repr(C)]
pub(crate) struct ConditionalNodeParams<'c> {
    kind: c_uint,
    reserved: [c_int; 3],
    handle: u64,
    conditional: ConditionalKind,
    size: c_uint,
    /// The driver writes the address of its array of `size` bodies.
    pub(super) bodies: *const CUgraph,
    context: CUcontext,
    /// The rest of the union, and reserved bytes, which must be zero.
    rest: [u64; 26],
    lifetime: PhantomData<&'c ()>,
}

// CUDA Driver API, `CUgraphNodeParams`: 16 bytes, a union of 232 bytes, and 8 reserved bytes.
const _: () = assert!(size_of::<ConditionalNodeParams<'_>>() == 256);

impl<'c> ConditionalNodeParams<'c> {
    /// `CU_GRAPH_NODE_TYPE_CONDITIONAL`.
    const CONDITIONAL: c_uint = 13;

    pub(crate) fn new(handle: u64, conditional: ConditionalKind, bodies: u32, context: ContextHandle<'c>) -> Self {
        Self {
            kind: Self::CONDITIONAL,
            reserved: [0; 3],
            handle,
            conditional,
            size: bodies,
            bodies: ptr::null(),
            context: context.raw(),
            rest: [0; 26],
            lifetime: PhantomData,
        }
    }

    /// The number of bodies.
    pub(super) fn count(&self) -> usize {
        self.size as usize
    }
}

impl After<'_> {
    /// `cuGraphAddHostNode`. The graph must hold `function` until its launches have finished.
    pub(crate) fn add_host<F: HostFunction>(&self, function: &Arc<F>) -> Result<NodeId, CallError> {
        let add = required!(self.graph().api(), cuGraphAddHostNode)?;
        let params = HostNodeParams::of(function);
        self.add_kind("cuGraphAddHostNode", add, &params)
    }

    /// `cuGraphAddEventRecordNode`. The graph must hold the event until its launches have finished.
    pub(crate) fn add_event_record(&self, event: EventHandle<'_>) -> Result<NodeId, CallError> {
        let add = required!(self.graph().api(), cuGraphAddEventRecordNode)?;
        self.add_kind("cuGraphAddEventRecordNode", add, event)
    }

    /// `cuGraphAddEventWaitNode`. The graph must hold the event until its launches have finished.
    pub(crate) fn add_event_wait(&self, event: EventHandle<'_>) -> Result<NodeId, CallError> {
        let add = required!(self.graph().api(), cuGraphAddEventWaitNode)?;
        self.add_kind("cuGraphAddEventWaitNode", add, event)
    }

    /// `cuGraphAddChildGraphNode`: the node has a copy of `child`, which the driver makes. The nodes of `child` then refer
    /// to their copies.
    pub(crate) fn add_child(&self, mut child: Graph) -> Result<NodeId, CallError> {
        let api = self.graph().api();
        let add = required!(api, cuGraphAddChildGraphNode)?;
        required!(api, cuGraphChildGraphNodeGetGraph)?;
        required!(api, cuGraphNodeFindInClone)?;
        // Without this call, a node whose copies are not found could not be removed.
        required!(api, cuGraphDestroyNode)?;
        let id = self.add_kind("cuGraphAddChildGraphNode", add, child.as_ref().alive())?;
        let node = self.new_node(id);
        let parts = mem::take(&mut child.parts).into_inner();
        match Part::of_child(child.as_ref(), id, node.as_node(), parts) {
            Ok(part) => {
                self.graph().parts.borrow_mut().push(part);
                Ok(node.id())
            }
            Err(error) => {
                // The error above takes precedence.
                let _ = node.remove();
                Err(error)
            }
        }
    }
}

impl Graph {
    /// Keeps the graphs inside of `bodies` for the nodes of this graph. They are bodies of `node`.
    pub(crate) fn keep_body(&self, node: NodeId, body: &mut Self) {
        self.parts.borrow_mut().push(Part { id: body.id(), node, copies: None, parts: body.parts.take() });
    }

    /// Whether the graph has a conditional node, at any depth.
    pub(crate) fn has_bodies(&self) -> bool {
        Part::any_body(&self.parts.borrow())
    }
}

/// The copies of nodes.
type Copies = BTreeMap<NodeId, NodeId>;

/// A graph inside of a graph: the copy of a child graph, or a body of a conditional node.
pub(super) struct Part {
    /// The id of the body or of the copy. The program has no node with the id of a copy.
    id: GraphId,
    /// The node that has it, in the graph around it.
    node: NodeId,
    /// For a copy: the nodes that the program has, which are nodes of the child graph. The nodes of a body are not copied.
    copies: Option<Copies>,
    /// The graphs inside of it.
    parts: Vec<Self>,
}

impl Part {
    /// Whether it is a part of `node`, which was removed.
    pub(super) fn is_in(&self, node: NodeId) -> bool {
        self.node == node
    }

    /// The handle of a node that was added to a graph which is now inside of a graph.
    pub(super) fn find(parts: &[Self], node: NodeId) -> Option<Handle<CUgraphNode_st>> {
        parts.iter().find_map(|part| match &part.copies {
            None if node.is_of(part.id) => Some(node.handle()),
            copies => {
                let copy = copies.as_ref().and_then(|copies| copies.get(&node));
                let copy = copy.map(|copy| copy.handle());
                copy.or_else(|| Self::find(&part.parts, node))
            }
        })
    }

    fn any_body(parts: &[Self]) -> bool {
        let is_body = |part: &Self| part.copies.is_none() || Self::any_body(&part.parts);
        parts.iter().any(is_body)
    }

    /// The copy of `child` that `node` has.
    fn of_child(child: GraphRef<'_>, id: NodeId, node: GraphNode<'_>, parts: Vec<Self>) -> Result<Self, CallError> {
        let copy = node.child_graph(GraphId::new())?;
        let copies = copies(child, copy, child.nodes()?.into_iter())?;
        Ok(Self { id: copy.id(), node: id, parts: Self::copied(parts, child, copy, &copies)?, copies: Some(copies) })
    }

    /// The same graphs inside of `copy`, a copy of `original`.
    fn copied(
        parts: Vec<Self>,
        original: GraphRef<'_>,
        copy: GraphRef<'_>,
        copies_of: &Copies,
    ) -> Result<Vec<Self>, CallError> {
        let copied = |part: Self| {
            let node = copies_of.get(&part.node).copied();
            let (before, after) = (original.node(part.node), node.and_then(|node| copy.node(node)));
            let (Some(before), Some(node), Some(after)) = (before, node, after) else {
                return Ok(None);
            };
            let before = before.child_graph(part.id)?;
            let after = after.child_graph(GraphId::new())?;
            let nodes = part.copies.unwrap_or_default();
            let current = copies(before, after, nodes.values().copied())?;
            let renewed = nodes.into_iter();
            let renewed = renewed.filter_map(|(node, at)| Some((node, *current.get(&at)?)));
            Ok(Some(Self {
                id: after.id(),
                node,
                copies: Some(renewed.collect()),
                parts: Self::copied(part.parts, before, after, &current)?,
            }))
        };
        let parts = parts.into_iter().map(copied);
        parts.filter_map(Result::transpose).collect()
    }
}

/// The copies of nodes of `original` in its copy.
fn copies(
    original: GraphRef<'_>,
    copy: GraphRef<'_>,
    nodes: impl Iterator<Item = NodeId>,
) -> Result<Copies, CallError> {
    let found = |node| {
        let copied = original.node(node).map(|node| copy.copy_of(node))?;
        Some(copied.map(|copy| (node, copy)))
    };
    nodes.filter_map(found).collect()
}
