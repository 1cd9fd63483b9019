//! Graphs, captures, and new nodes.

use super::{
    Alive, Api, CallError, ContextHandle, CopyPlace, KernelNodeParams, MemoryStep, Null, StreamHandle, copies,
    entry_points::required,
    graph_nodes::{GraphNode, GraphRef},
    handle::{EventHandle, GraphHandle, Owned},
    inner_graph::InnerGraph,
    launch::MemoryOperation,
    node_id::{GraphId, NodeId, Remaining},
    node_params::{AllocNodeParams, ConditionalNodeParams, HostNodeParams},
    out,
};
use core::{cell::RefCell, mem::ManuallyDrop, ptr, slice};
use cudarc::driver::{
    CudaStream,
    sys::{CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUdevice, CUdeviceptr, CUgraph, CUgraph_st, CUgraphNode},
};

/// Drop destroys it, unless it is a body of a conditional node, which its graph destroys.
pub(crate) struct Graph {
    owned: ManuallyDrop<Owned<CUgraph_st>>,
    /// A removal of a node changes it.
    id: GraphId,
    remaining: Remaining,
    is_body: bool,
    pub(super) inside: RefCell<Vec<InnerGraph>>,
}

impl Drop for Graph {
    fn drop(&mut self) {
        if !self.is_body {
            // SAFETY: this is the only drop.
            unsafe { ManuallyDrop::drop(&mut self.owned) };
        }
    }
}

impl Graph {
    pub(crate) fn new(api: &'static Api) -> Result<Self, CallError> {
        let graph = out(|graph| api.cuGraphCreate(graph, 0))?;
        // SAFETY: the call has created the graph, and only this value owns it.
        let owned = unsafe { Owned::new(api, graph) };
        // SAFETY: no node has the new id.
        Ok(unsafe { Self::of(owned, GraphId::new(), false) })
    }

    /// # Safety
    /// All nodes with this id belong to the graph.
    pub(super) unsafe fn of(owned: Owned<CUgraph_st>, id: GraphId, is_body: bool) -> Self {
        let owned = ManuallyDrop::new(owned);
        Self { owned, id, remaining: Remaining::default(), is_body, inside: RefCell::default() }
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

    /// Its id is then rejected, even if the driver gives its handle to a new node.
    pub(crate) fn remove(&mut self, node: NodeId) -> Result<(), CallError> {
        let all = if self.remaining.is_empty() { self.as_ref().nodes()? } else { Vec::new() };
        // SAFETY: `cuGraphDestroyNode`: the node belongs to this graph, which is alive and not shared with another
        // thread. `Remaining` then rejects its id.
        unsafe { self.api().cuGraphDestroyNode(node.raw()) }?;
        self.remaining.remove(node, self.id, &all);
        self.id = GraphId::new();
        self.inside.get_mut().retain(|inner| inner.node != node);
        Ok(())
    }

    /// The error is the index of the first node that belongs to a different graph.
    pub(crate) fn after(&self, nodes: &[NodeId]) -> Result<After<'_>, usize> {
        match nodes.iter().position(|node| !self.as_ref().has(*node)) {
            Some(index) => Err(index),
            None => Ok(After { graph: self, nodes: nodes.iter().map(|node| node.raw()).collect() }),
        }
    }

    /// # Safety
    /// A call has just added the node to this graph.
    unsafe fn added(&self, node: CUgraphNode) -> NodeId {
        // SAFETY: the contract of this function.
        let node = unsafe { NodeId::new(node, self.id) };
        self.remaining.add(node);
        node
    }
}

pub(crate) struct After<'g> {
    graph: &'g Graph,
    nodes: Vec<CUgraphNode>,
}

/// Calls that add a node. The `host` function, an event, and what a `copy` and a `memset` use must exist when the graph
/// is launched.
macro_rules! new_nodes {
    ($($access:vis $name:ident($($argument:ident: $ty:ty),*) = $call:ident;)*) => {
        impl After<'_> {$(
            $access fn $name(&self, $($argument: $ty),*) -> Result<NodeId, CallError> {
                let mut node = ptr::null_mut();
                let (graph, nodes) = (self.graph, &self.nodes);
                // SAFETY: CUDA Driver API, "Graph Management", the calls `cuGraphAdd…Node`: the graph is alive, and the
                // nodes belong to it. The types prove that contexts, events and child graphs are alive, and that a
                // function accepts its parameters (`KernelNodeParams`). The call copies all parameters, and only
                // defines the node: the caller of a graph launch guarantees that the memory is valid. The driver
                // rejects a free of an address that no allocation node has returned.
                unsafe { graph.api().$call(&mut node, graph.raw(), nodes.as_ptr(), nodes.len(), $($argument),*) }?;
                // SAFETY: the call has added the node to this graph.
                Ok(unsafe { graph.added(node) })
            }
        )*}
    };
}

new_nodes! {
    pub(crate) add_join() = cuGraphAddEmptyNode;
    pub(crate) add_host(function: &HostNodeParams) = cuGraphAddHostNode;
    pub(crate) add_event_record(event: EventHandle<'_>) = cuGraphAddEventRecordNode;
    pub(crate) add_event_wait(event: EventHandle<'_>) = cuGraphAddEventWaitNode;
    pub(crate) add_free(address: CUdeviceptr) = cuGraphAddMemFreeNode;
    kernel(params: &KernelNodeParams<'_>) = cuGraphAddKernelNode_v2;
    copy(copy: &CUDA_MEMCPY3D, context: ContextHandle<'_>) = cuGraphAddMemcpyNode;
    memset(memset: &CUDA_MEMSET_NODE_PARAMS, context: ContextHandle<'_>) = cuGraphAddMemsetNode;
    alloc(params: &mut AllocNodeParams) = cuGraphAddMemAllocNode;
    child(child: GraphHandle<'_>) = cuGraphAddChildGraphNode;
}

impl<'g> After<'g> {
    pub(crate) fn also(&mut self, node: NodeId) {
        let node = node.raw();
        if !self.nodes.contains(&node) {
            self.nodes.push(node);
        }
    }

    /// Returns the node and the address, which is fixed for all launches.
    pub(crate) fn add_alloc(&self, device: CUdevice, bytes: usize) -> Result<(NodeId, CUdeviceptr), CallError> {
        let mut params = AllocNodeParams::new(device, bytes);
        Ok((self.alloc(&mut params)?, params.address))
    }

    /// The driver copies `child`. Its nodes then refer to their copies.
    pub(crate) fn add_child(&self, child: &Graph) -> Result<NodeId, CallError> {
        let api = self.graph.api();
        required!(api, cuGraphChildGraphNodeGetGraph)?;
        required!(api, cuGraphNodeFindInClone)?;
        required!(api, cuGraphDestroyNode)?;
        let node = NewNode { graph: self.graph, id: self.child(child.as_ref().graph)? };
        match InnerGraph::of_child(child, node.id, node.as_node()) {
            Ok(inner) => {
                self.graph.inside.borrow_mut().push(inner);
                Ok(node.id())
            }
            Err(error) => {
                let _ = node.remove();
                Err(error)
            }
        }
    }

    /// Returns the node and its bodies, which the caller drops before the graph.
    pub(crate) fn add_conditional(
        &self,
        mut params: ConditionalNodeParams<'_>,
    ) -> Result<(NodeId, Vec<Graph>), CallError> {
        let (graph, nodes, mut node) = (self.graph, &self.nodes, ptr::null_mut());
        let (raw, count) = (graph.raw(), nodes.len());
        // SAFETY: `cuGraphAddNode`: the graph is alive, and the `count` nodes belong to it; null means that the edges
        // have no data. The parameters describe a conditional node in a live context.
        unsafe { graph.api().cuGraphAddNode_v2(&mut node, raw, nodes.as_ptr(), Null::NULL, count, &mut params) }?;
        // SAFETY: the call has added the node to this graph.
        let id = unsafe { graph.added(node) };
        // SAFETY: `CUDA_CONDITIONAL_NODE_PARAMS`: "CUDA-owned array populated with conditional node child graphs during
        // creation of the node", with as many graphs as the parameters ask for.
        let bodies = unsafe { slice::from_raw_parts(params.bodies, params.count()) };
        let body = |body: &CUgraph| {
            // SAFETY: the body is alive as long as the graph, and this value never destroys it.
            let owned = unsafe { Owned::new(graph.api(), *body) };
            // SAFETY: no node has the new id.
            unsafe { Graph::of(owned, GraphId::new(), true) }
        };
        Ok((id, bodies.iter().map(body).collect()))
    }

    pub(crate) fn add_kernel(&self, params: &KernelNodeParams<'_>) -> Result<NewNode<'g>, CallError> {
        Ok(NewNode { graph: self.graph, id: self.kernel(params)? })
    }

    pub(crate) fn add_copy(
        &self,
        to: CopyPlace,
        from: CopyPlace,
        width: usize,
        context: ContextHandle<'_>,
    ) -> Result<NodeId, CallError> {
        self.copy(&copies::copy(to, from, [width, 1, 1]), context)
    }

    pub(crate) fn add_memory(&self, step: &MemoryStep<'_>, context: ContextHandle<'_>) -> Result<NodeId, CallError> {
        match step.operation.params() {
            MemoryParams::Set(memset) => self.memset(&memset, context),
            MemoryParams::Copy(copy) => self.copy(&copy, context),
        }
    }

    pub(crate) fn add_memset(
        &self,
        to: CUdeviceptr,
        byte: u8,
        width: usize,
        context: ContextHandle<'_>,
    ) -> Result<NodeId, CallError> {
        let value = byte.into();
        self.memset(&CUDA_MEMSET_NODE_PARAMS { dst: to, pitch: 0, value, elementSize: 1, width, height: 1 }, context)
    }
}

/// What the calls take that add or update the node of a memset or a copy.
pub(super) enum MemoryParams {
    Set(CUDA_MEMSET_NODE_PARAMS),
    Copy(CUDA_MEMCPY3D),
}

impl MemoryOperation {
    pub(super) fn params(self) -> MemoryParams {
        match self {
            Self::Set { to, value, element, elements } => MemoryParams::Set(CUDA_MEMSET_NODE_PARAMS {
                dst: to,
                pitch: 0,
                value,
                elementSize: element,
                width: elements,
                height: 1,
            }),
            Self::Copy { to, from, bytes } => {
                MemoryParams::Copy(copies::copy(CopyPlace::Device(to), CopyPlace::Device(from), [bytes, 1, 1]))
            }
        }
    }
}

/// Nothing else has the id of a node that was just added.
pub(crate) struct NewNode<'g> {
    graph: &'g Graph,
    id: NodeId,
}

impl NewNode<'_> {
    pub(crate) fn as_node(&self) -> GraphNode<'_> {
        // SAFETY: a node is alive as long as its graph, unless `remove` removes it.
        unsafe { GraphNode::new(self.graph.api(), self.id) }
    }

    pub(crate) fn id(self) -> NodeId {
        self.id
    }

    pub(crate) fn remove(self) -> Result<(), CallError> {
        self.graph.remaining.forget(self.id);
        // SAFETY: `cuGraphDestroyNode`: the node belongs to a live graph, and nothing else has its id.
        unsafe { self.graph.api().cuGraphDestroyNode(self.id.raw()) }
    }
}

impl MemoryStep<'_> {
    /// `cuMemsetD8Async`, `cuMemsetD16Async`, `cuMemsetD32Async` or `cuMemcpyDtoDAsync_v2`.
    ///
    /// Each range of a step is a `HeldMemory`, or the beginning of one. Its address and size were read together, and
    /// are within owned memory, which stays allocated until the run is enqueued, or within the memory of a held slice
    /// with the same type of elements. After the closure, `enter_held` has found this memory in a slice of this type at
    /// a held place, or the run is an error before its steps are enqueued. That slice is borrowed until then. Later it
    /// is freed in the order of streams: its guard records the run as its use.
    ///
    /// A captured step (`push_captured`) uses memory of its arguments, which are `HeldMemory` in each run, or memory
    /// that an `unsafe` caller guarantees.
    pub(crate) fn enqueue(&self, api: &Api, stream: StreamHandle<'_>) -> Result<(), CallError> {
        let stream = stream.raw();
        match self.operation {
            MemoryOperation::Set { to, value, element: 1, elements } => {
                // SAFETY: `cuMemsetD8Async`: the memory is allocated, as proved above. User code has borrowed it
                // exclusively, and zeros are values of its type: `Run::memset_zeros` requires both. Captured steps: as
                // proved above.
                unsafe { api.cuMemsetD8Async(to, value as u8, elements, stream) }
            }
            MemoryOperation::Set { to, value, element: 2, elements } => {
                // SAFETY: `cuMemsetD16Async`: the same, of a captured step.
                unsafe { api.cuMemsetD16Async(to, value as u16, elements, stream) }
            }
            MemoryOperation::Set { to, value, elements, .. } => {
                // SAFETY: `cuMemsetD32Async`: the same, of a captured step.
                unsafe { api.cuMemsetD32Async(to, value, elements, stream) }
            }
            MemoryOperation::Copy { to, from, bytes } => {
                // SAFETY: `cuMemcpyDtoDAsync`: both times, the bytes are allocated, as proved above. They do not
                // overlap and have the same type: `Run::memcpy_dtod` requires two slices of one type, the destination
                // borrowed exclusively. Captured steps: as proved above.
                unsafe { api.cuMemcpyDtoDAsync_v2(to, from, bytes, stream) }
            }
        }
    }
}

pub(crate) struct CaptureInfo<'s> {
    pub(crate) id: GraphId,
    /// `None` if the capture has been invalidated.
    pub(crate) graph: Option<GraphRef<'s>>,
    /// The node on which the stream's next node depends, if it is a single node.
    pub(crate) last: Option<NodeId>,
}

impl Api {
    /// `CU_STREAM_CAPTURE_MODE_RELAXED`.
    pub(crate) const RELAXED: u32 = 2;

    /// `cuStreamGetCaptureInfo`: `None` if the stream is not capturing.
    pub(crate) fn capture_info<'s>(
        &'static self,
        stream: &'s CudaStream,
    ) -> Result<Option<CaptureInfo<'s>>, CallError> {
        /// `CUstreamCaptureStatus`.
        const ACTIVE: u32 = 1;
        const INVALIDATED: u32 = 2;
        let (mut status, mut id, mut graph, mut nodes, mut count) = (0, 0, ptr::null_mut(), ptr::null(), 0);
        let (stream, edges) = (stream.into(), &mut ptr::null());
        if self.cuStreamGetCaptureInfo_v3.is_some() {
            self.cuStreamGetCaptureInfo_v3(stream, &mut status, &mut id, &mut graph, &mut nodes, edges, &mut count)
        } else {
            self.cuStreamGetCaptureInfo_v2(stream, &mut status, &mut id, &mut graph, &mut nodes, &mut count)
        }?;
        let id = GraphId::Captured(id);
        match status {
            ACTIVE => {}
            INVALIDATED => return Ok(Some(CaptureInfo { id, graph: None, last: None })),
            _ => return Ok(None),
        }
        let last = (count == 1 && !nodes.is_null()).then(|| {
            // SAFETY: `cuStreamGetCaptureInfo`: the driver's array has `count` nodes, and is valid until the next call
            // for this stream.
            let node = unsafe { nodes.read() };
            // SAFETY: the node belongs to the graph of this capture.
            unsafe { NodeId::new(node, id) }
        });
        let graph = (!graph.is_null()).then(|| {
            // SAFETY: `cuStreamGetCaptureInfo` lends the graph while the stream is being captured, for all uses except
            // destroying it and removing nodes. Only one thread may use a captured stream, and this crate calls this
            // function between two calls of that thread.
            let graph = unsafe { Alive::new(graph) };
            GraphRef { api: self, graph, id, remaining: None }
        });
        Ok(Some(CaptureInfo { id, graph, last }))
    }

    /// Returns the graph, if the driver returns one, and the result of `cuStreamEndCapture`. Makes the stream's context
    /// current.
    fn end_capture_now(&'static self, stream: &CudaStream) -> (Option<Owned<CUgraph_st>>, Result<(), CallError>) {
        // If this call fails, the next call fails too.
        let _ = self.cuCtxSetCurrent((&**stream.context()).into());
        let mut graph = ptr::null_mut();
        let ended = self.cuStreamEndCapture(stream.into(), &mut graph);
        let graph = (!graph.is_null()).then(|| {
            // SAFETY: `cuStreamEndCapture` transfers the graph to its caller.
            unsafe { Owned::new(self, graph) }
        });
        (graph, ended)
    }

    /// `None` if the driver returns no graph, or the stream was not capturing.
    pub(crate) fn end_capture(&'static self, stream: &CudaStream) -> Result<Option<Graph>, CallError> {
        let info = self.capture_info(stream).map(|info| info.map(|info| info.id));
        // The capture ends first: otherwise an error would leave the stream in capture mode.
        let (graph, ended) = self.end_capture_now(stream);
        if let Err(error) = ended {
            drop(graph);
            self.abandon_capture(stream);
            return Err(error);
        }
        // SAFETY: this is the id of the capture that has just ended.
        Ok(graph.zip(info?).map(|(graph, id)| unsafe { Graph::of(graph, id, false) }))
    }

    /// Ends a capture, if there is any, and destroys its graph.
    pub(crate) fn abandon_capture(&'static self, stream: &CudaStream) {
        drop(self.end_capture_now(stream));
    }
}
