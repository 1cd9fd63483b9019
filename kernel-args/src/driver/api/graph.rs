//! Graphs, and new nodes.

use super::{
    Api, CallError, ContextHandle, KernelNodeParams, Memory, MemoryStep, Null, Status, copies,
    entry_points::required,
    graph_nodes::{GraphNode, GraphRef},
    handle::{Destroyed, Owned},
    launch::MemoryOperation,
    node_id::{GraphId, NodeId},
    node_kinds::{AddKind, ConditionalNodeParams, Part},
    node_params::{AllocNodeParams, MemsetNodeParams},
    remaining::Remaining,
};
use core::{
    cell::{Cell, RefCell},
    mem::ManuallyDrop,
    ptr, slice,
};
use cudarc::driver::sys::{CUdevice, CUdeviceptr, CUgraph, CUgraph_st, CUgraphExec, CUgraphNode};
use std::vec::Vec;

impl Destroyed for CUgraph_st {
    /// CUDA Driver API, "Graph object thread safety": no two calls may access one graph at the same time.
    type Sharing = Cell<()>;

    fn destroy(api: &Api) -> Option<unsafe extern "C" fn(*mut Self) -> Status> {
        api.cuGraphDestroy
    }
}

/// A graph. Drop destroys it, unless it is a body of a conditional node, which its graph destroys.
pub(crate) struct Graph {
    owned: ManuallyDrop<Owned<CUgraph_st>>,
    /// A removal of a node changes it.
    id: GraphId,
    pub(super) remaining: Remaining,
    /// Whether it is a body of a conditional node, which its graph destroys.
    is_body: bool,
    /// The graphs inside of it.
    pub(super) parts: RefCell<Vec<Part>>,
}

impl Drop for Graph {
    fn drop(&mut self) {
        if !self.is_body {
            // SAFETY: this is the only drop, and nothing uses the field afterwards.
            unsafe { ManuallyDrop::drop(&mut self.owned) };
        }
    }
}

impl Graph {
    /// An empty graph: `cuGraphCreate`.
    pub(crate) fn new(api: &'static Api) -> Result<Self, CallError> {
        let mut graph = ptr::null_mut();
        api.cuGraphCreate(&mut graph, 0)?;
        // SAFETY: the call has created the graph, and only this value owns it.
        let owned = unsafe { Owned::new(api, graph) };
        Ok(Self::of(owned, GraphId::new()))
    }

    /// A captured graph.
    ///
    /// # Safety
    /// `id` is the id of the capture.
    pub(super) unsafe fn of_capture(owned: Owned<CUgraph_st>, id: GraphId) -> Self {
        Self::of(owned, id)
    }

    fn of(owned: Owned<CUgraph_st>, id: GraphId) -> Self {
        Self {
            owned: ManuallyDrop::new(owned),
            id,
            remaining: Remaining::default(),
            is_body: false,
            parts: RefCell::default(),
        }
    }

    #[inline(always)]
    pub(crate) fn id(&self) -> GraphId {
        self.id
    }

    #[inline(always)]
    pub(crate) fn api(&self) -> &'static Api {
        self.owned.api
    }

    #[inline(always)]
    pub(crate) fn raw(&self) -> CUgraph {
        self.owned.alive().raw()
    }

    #[inline(always)]
    pub(crate) fn as_ref(&self) -> GraphRef<'_> {
        GraphRef { api: self.owned.api, graph: self.owned.alive(), id: self.id, remaining: Some(&self.remaining) }
    }

    /// `cuGraphInstantiateWithFlags`.
    pub(super) fn instantiate_to(&self, exec: &mut CUgraphExec, flags: u64) -> Result<(), CallError> {
        let api = self.owned.api;
        api.cuGraphInstantiateWithFlags(exec, self.owned.alive(), flags)
    }

    /// Removes a node: `cuGraphDestroyNode`. Its id is then rejected, even if the driver gives its handle to a new node. The node
    /// must be a node of this graph.
    pub(crate) fn remove(&mut self, node: NodeId) -> Result<(), CallError> {
        let destroy = required!(self.api(), cuGraphDestroyNode)?;
        let all = if self.remaining.is_empty() { self.as_ref().nodes()? } else { Vec::new() };
        // SAFETY: CUDA Driver API, "Graph Management", `cuGraphDestroyNode`: the node belongs to this graph, which is alive and not
        // shared with another thread. `Remaining` then rejects its id.
        unsafe { destroy(node.node.raw()) }.check("cuGraphDestroyNode")?;
        let all = all.into_iter().map(NodeId::handle);
        self.remaining.remove(node, self.id, all);
        self.id = GraphId::new();
        self.parts.get_mut().retain(|part| !part.is_in(node));
        Ok(())
    }

    /// The nodes on which a new node depends. Returns the index of the first node that belongs to a different graph.
    pub(crate) fn after(&self, nodes: &[NodeId]) -> Result<After<'_>, usize> {
        let is_own = |node: &NodeId| self.as_ref().has(*node);
        if let Some(index) = nodes.iter().position(|node| !is_own(node)) {
            return Err(index);
        }
        Ok(After { graph: self, nodes: nodes.iter().map(|node| node.node.raw()).collect() })
    }
}

/// The nodes on which a new node depends.
pub(crate) struct After<'g> {
    graph: &'g Graph,
    nodes: Vec<CUgraphNode>,
}

impl<'g> After<'g> {
    /// Adds a node. `add` receives the graph, the nodes on which the new node depends, and their number.
    fn add(
        &self,
        call: &'static str,
        add: impl FnOnce(&mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> Status,
    ) -> Result<NodeId, CallError> {
        let mut node = ptr::null_mut();
        let nodes = &self.nodes;
        add(&mut node, self.graph.raw(), nodes.as_ptr(), nodes.len()).check(call)?;
        // SAFETY: the call has added the node to this graph.
        let node = unsafe { NodeId::new(node, self.graph.id) };
        self.graph.remaining.add(node);
        Ok(node)
    }

    /// Adds a node of this graph, if it is not one of the nodes already.
    pub(crate) fn also(&mut self, node: NodeId) {
        let node = node.node.raw();
        if !self.nodes.contains(&node) {
            self.nodes.push(node);
        }
    }

    /// `cuGraphAddMemAllocNode`: memory of `device`. Returns the node and the address, which is fixed for all launches.
    pub(crate) fn add_alloc(&self, device: CUdevice, bytes: usize) -> Result<(NodeId, CUdeviceptr), CallError> {
        let add = required!(self.graph.api(), cuGraphAddMemAllocNode)?;
        let mut params = AllocNodeParams::new(device, bytes);
        let node = self.add("cuGraphAddMemAllocNode", |node, graph, after, count| {
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphAddMemAllocNode`: the graph is alive, the `count` nodes belong to
            // it, and the parameters contain no pointers.
            unsafe { add(node, graph, after, count, &mut params) }
        })?;
        Ok((node, params.address))
    }

    /// `cuGraphAddMemFreeNode`.
    pub(crate) fn add_free(&self, address: CUdeviceptr) -> Result<NodeId, CallError> {
        let add = required!(self.graph.api(), cuGraphAddMemFreeNode)?;
        self.add("cuGraphAddMemFreeNode", |node, graph, after, count| {
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphAddMemFreeNode`: the graph is alive, and the `count` nodes belong
            // to it. The call rejects an address that no allocation node has returned. It only defines the node; the caller of a
            // graph launch guarantees that no node uses the memory afterwards.
            unsafe { add(node, graph, after, count, address) }
        })
    }

    pub(super) fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// A node that a call has just added to the graph.
    pub(super) fn new_node(&self, id: NodeId) -> NewNode<'g> {
        NewNode { graph: self.graph, id }
    }

    /// Adds a node of which `what` is the only property.
    pub(super) fn add_kind<X>(&self, call: &'static str, add: AddKind<X>, what: X) -> Result<NodeId, CallError> {
        self.add(call, |node, graph, after, count| {
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphAddHostNode`, `cuGraphAddEventRecordNode`,
            // `cuGraphAddEventWaitNode`, `cuGraphAddChildGraphNode`: the graph is alive, the `count` nodes belong to it,
            // and so does what the type `X` proves to be alive. The call copies it.
            unsafe { add(node, graph, after, count, what) }
        })
    }

    /// `cuGraphAddEmptyNode`.
    pub(crate) fn add_join(&self) -> Result<NodeId, CallError> {
        let add = required!(self.graph.api(), cuGraphAddEmptyNode)?;
        self.add("cuGraphAddEmptyNode", |node, graph, after, count| {
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphAddEmptyNode`: the graph is alive, and the `count` nodes
            // belong to it.
            unsafe { add(node, graph, after, count) }
        })
    }

    /// `cuGraphAddNode` for a conditional node, and its `bodies`. The caller drops the bodies before the graph.
    pub(crate) fn add_conditional(
        &self,
        mut params: ConditionalNodeParams<'_>,
    ) -> Result<(NodeId, Vec<Graph>), CallError> {
        let add = required!(self.graph.api(), cuGraphAddNode_v2)?;
        let id = self.add("cuGraphAddNode_v2", |node, graph, after, count| {
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphAddNode`: the graph is alive, and the `count` nodes belong
            // to it; null for the edges means that they have no data. The parameters describe a conditional node in
            // a live context.
            unsafe { add(node, graph, after, Null::NULL, count, &mut params) }
        })?;
        let count = params.count();
        // SAFETY: `CUDA_CONDITIONAL_NODE_PARAMS`: "CUDA-owned array populated with conditional node child graphs during
        // creation of the node", with as many graphs as the parameters ask for.
        let bodies = unsafe { slice::from_raw_parts(params.bodies, count) };
        let body = |raw: &CUgraph| {
            // SAFETY: the body is alive as long as the graph. This value never destroys it, because `is_body` is set.
            let mut body = Graph::of(unsafe { Owned::new(self.graph.api(), *raw) }, GraphId::new());
            body.is_body = true;
            body
        };
        Ok((id, bodies.iter().map(body).collect()))
    }

    /// `cuGraphAddKernelNode`.
    pub(crate) fn add_kernel(&self, params: &KernelNodeParams<'_>) -> Result<NewNode<'g>, CallError> {
        let add = required!(self.graph.api(), cuGraphAddKernelNode_v2)?;
        let id = self.add("cuGraphAddKernelNode_v2", |node, graph, after, count| {
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphAddKernelNode`: the graph is alive, the `count`
            // nodes belong to it, and the function accepts its parameters (`KernelNodeParams`), which the call copies.
            unsafe { add(node, graph, after, count, params) }
        })?;
        Ok(NewNode { graph: self.graph, id })
    }

    /// `cuGraphAddMemcpyNode`: a copy of `width` bytes.
    pub(crate) fn add_copy(
        &self,
        to: Memory,
        from: Memory,
        width: usize,
        context: ContextHandle<'_>,
    ) -> Result<NodeId, CallError> {
        let add = required!(self.graph.api(), cuGraphAddMemcpyNode)?;
        self.add("cuGraphAddMemcpyNode", |node, graph, after, count| {
            let copy = copies::copy(to, from, [width, 1, 1]);
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphAddMemcpyNode`: the graph and the context are alive,
            // and the `count` nodes belong to the graph. The call only defines the copy; the caller of a graph launch
            // guarantees that the memory is valid.
            unsafe { add(node, graph, after, count, &copy, context.raw()) }
        })
    }

    /// Adds a node for a step of a sequence.
    pub(crate) fn add_memory(&self, step: &MemoryStep<'_>, context: ContextHandle<'_>) -> Result<NodeId, CallError> {
        let MemoryStep { to, width, .. } = *step;
        match step.operation {
            MemoryOperation::Set(byte) => self.add_memset(to, byte, width, context),
            MemoryOperation::CopyFrom(from) => self.add_copy(Memory::Device(to), Memory::Device(from), width, context),
        }
    }

    /// `cuGraphAddMemsetNode`: sets `width` bytes.
    pub(crate) fn add_memset(
        &self,
        to: CUdeviceptr,
        byte: u8,
        width: usize,
        context: ContextHandle<'_>,
    ) -> Result<NodeId, CallError> {
        let add = required!(self.graph.api(), cuGraphAddMemsetNode)?;
        let params = MemsetNodeParams { address: to, pitch: 0, value: byte.into(), element_size: 1, width, height: 1 };
        self.add("cuGraphAddMemsetNode", |node, graph, after, count| {
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphAddMemsetNode`: the graph and the context are alive,
            // and the `count` nodes belong to the graph. The call only defines the memset; the caller of a graph launch
            // guarantees that the memory is valid.
            unsafe { add(node, graph, after, count, &params, context.raw()) }
        })
    }
}

/// A node that was just added. Nothing else has its id.
pub(crate) struct NewNode<'g> {
    graph: &'g Graph,
    id: NodeId,
}

impl NewNode<'_> {
    pub(crate) fn as_node(&self) -> GraphNode<'_> {
        // SAFETY: a node is alive as long as its graph, unless `remove` removes it.
        unsafe { GraphNode::new(self.graph.api(), self.id) }
    }

    /// Keeps the node in the graph.
    pub(crate) fn id(self) -> NodeId {
        self.id
    }

    /// Removes the node from the graph: `cuGraphDestroyNode`.
    pub(crate) fn remove(self) -> Result<(), CallError> {
        let destroy = required!(self.graph.api(), cuGraphDestroyNode)?;
        self.graph.remaining.forget(self.id);
        // SAFETY: CUDA Driver API, "Graph Management", `cuGraphDestroyNode`: the node belongs to a live graph. Nothing
        // else has its id, so nothing uses it afterwards.
        unsafe { destroy(self.id.node.raw()) }.check("cuGraphDestroyNode")
    }
}
