//! Instantiated graphs.

use super::{
    Alive, Api, CallError, Graph, Handle, KernelNodeParams, Promise, Status, StreamHandle, UpdateResult,
    entry_points::required,
    graph_nodes::{GraphRef, LaunchOf},
    handle::{Destroyed, Owned},
    node_id::{GraphId, NodeId},
    node_kinds::Part,
};
use core::{cell::Cell, marker::PhantomData, ptr};
use cudarc::driver::{
    CudaGraph,
    sys::{CUdeviceptr, CUfunc_st, CUgraph, CUgraphExec, CUgraphExec_st, CUgraphNode_st},
};
use std::vec::Vec;

impl Destroyed for CUgraphExec_st {
    /// Same as for a graph: one thread at a time.
    type Sharing = Cell<()>;

    fn destroy(api: &Api) -> Option<unsafe extern "C" fn(*mut Self) -> Status> {
        api.cuGraphExecDestroy
    }
}

/// An instantiated graph. Drop destroys it; the driver frees it when its launches have finished.
pub(crate) struct Exec {
    api: &'static Api,
    /// `cuGraphExecKernelNodeSetParams_v2`, looked up once.
    set_params: SetParams,
    handle: Handle<CUgraphExec_st>,
    /// `None` only while this value is dropped.
    objects: Option<Objects>,
    id: GraphId,
    captured: Option<Captured>,
    exclusive: PhantomData<Cell<()>>,
}

/// The type of `cuGraphExecKernelNodeSetParams_v2`.
type SetParams = extern "C" fn(Alive<'_, CUgraphExec_st>, Alive<'_, CUgraphNode_st>, &KernelNodeParams<'_>) -> Status;

/// Owns the driver's objects.
enum Objects {
    /// The fields are dropped in this order.
    Own {
        #[expect(dead_code, reason = "held, not read")]
        exec: Owned<CUgraphExec_st>,
        graph: Graph,
    },
    Cudarc(OfCudarc),
}

/// The nodes of a graph of cudarc, for nodes from the capture that it probably results from.
struct Captured {
    id: GraphId,
    /// In the order of the handles.
    nodes: Vec<LaunchOf>,
}

/// A graph that was captured with cudarc.
struct OfCudarc(CudaGraph);

// SAFETY: cudarc's graph consists of two driver handles and an `Arc` of a stream, which is `Send` and `Sync`. CUDA
// Driver API, "Graph object thread safety", allows any thread to use a graph, one at a time. This type is not `Sync`,
// so only the thread that owns it uses it.
unsafe impl Send for OfCudarc {}

impl Exec {
    /// `cuGraphInstantiateWithFlags`.
    pub(crate) fn instantiate(graph: Graph, flags: u64) -> Result<Self, CallError> {
        let (api, id) = (graph.api(), graph.id());
        let mut handle = ptr::null_mut();
        graph.instantiate_to(&mut handle, flags)?;
        // SAFETY: the call has created the instantiated graph, and only this value owns it.
        let exec = unsafe { Owned::new(api, handle) };
        Ok(Self {
            api,
            set_params: required!(api, cuGraphExecKernelNodeSetParams_v2)?,
            handle: Handle::new(handle),
            objects: Some(Objects::Own { exec, graph }),
            id,
            captured: None,
            exclusive: PhantomData,
        })
    }

    /// A graph that was captured with cudarc. Nodes of the capture with the id `captured` are accepted if the graph has a node
    /// with their handle. Its context must be current.
    pub(crate) fn of_cudarc(api: &'static Api, graph: CudaGraph, captured: Option<GraphId>) -> Result<Self, CallError> {
        let mut exec = Self {
            api,
            set_params: required!(api, cuGraphExecKernelNodeSetParams_v2)?,
            handle: Handle::new(graph.cu_graph_exec()),
            objects: Some(Objects::Cudarc(OfCudarc(graph))),
            id: GraphId::new(),
            captured: None,
            exclusive: PhantomData,
        };
        if let Some(id) = captured {
            let mut nodes = exec.graph().launches()?;
            nodes.sort_unstable_by_key(|(node, _)| node.handle());
            exec.captured = Some(Captured { id, nodes });
        }
        Ok(exec)
    }

    #[inline(always)]
    pub(crate) fn api(&self) -> &'static Api {
        self.api
    }

    #[inline(always)]
    fn alive(&self) -> Alive<'_, CUgraphExec_st> {
        // SAFETY: `objects` owns the instantiated graph of this handle, and destroys it when this is dropped.
        unsafe { Alive::new(self.handle.raw()) }
    }

    pub(crate) fn raw(&self) -> CUgraphExec {
        self.handle.raw()
    }

    fn objects(&self) -> &Objects {
        match &self.objects {
            Some(objects) => objects,
            None => unreachable!("only `drop` takes them"),
        }
    }

    /// The graph that was instantiated.
    pub(crate) fn graph(&self) -> GraphRef<'_> {
        match self.objects() {
            Objects::Own { graph, .. } => graph.as_ref(),
            Objects::Cudarc(OfCudarc(graph)) => {
                // SAFETY: cudarc's graph is alive while its object is borrowed.
                let alive = unsafe { Alive::new(graph.cu_graph()) };
                // SAFETY: the id was created for this graph.
                unsafe { GraphRef::new(self.api, alive, self.id) }
            }
        }
    }

    pub(crate) fn raw_graph(&self) -> CUgraph {
        match self.objects() {
            Objects::Own { graph, .. } => graph.raw(),
            Objects::Cudarc(OfCudarc(graph)) => graph.cu_graph(),
        }
    }

    /// A node of this graph; `None` if the node belongs to a different graph.
    #[inline(always)]
    pub(crate) fn node(&self, node: NodeId) -> Option<ExecNode<'_>> {
        if node.is_of(self.id) {
            return Some(self.own(node));
        }
        self.inside(node).or_else(|| self.captured(node, |_| true))
    }

    /// A node of this graph that launches `function`; `None` if the node belongs to a different graph.
    #[inline(always)]
    pub(crate) fn kernel_node(&self, node: NodeId, function: Handle<CUfunc_st>) -> Option<ExecNode<'_>> {
        if node.is_of(self.id) {
            return Some(self.own(node));
        }
        let captured = || self.captured(node, |launched| launched == Some(function));
        self.inside(node).or_else(captured)
    }

    /// Whether the graph has a conditional node, at any depth, that this crate has added.
    pub(crate) fn has_bodies(&self) -> bool {
        matches!(self.objects(), Objects::Own { graph, .. } if graph.has_bodies())
    }

    /// A node of a child graph, or of a body of a conditional node.
    #[cold]
    fn inside(&self, node: NodeId) -> Option<ExecNode<'_>> {
        let Objects::Own { graph, .. } = self.objects() else {
            return None;
        };
        let handle = Part::find(&graph.parts.borrow(), node)?;
        Some(ExecNode {
            exec: self,
            // SAFETY: the node belongs to a graph inside of the graph that this value owns. Nodes of such graphs are never removed.
            node: unsafe { Alive::new(handle.raw()) },
        })
    }

    /// A node of the capture. The driver can have given the handles of the captured graph and of its nodes to this graph, so
    /// the id alone does not prove that the node belongs to it.
    #[cold]
    fn captured(&self, node: NodeId, launches: impl Fn(Option<Handle<CUfunc_st>>) -> bool) -> Option<ExecNode<'_>> {
        // A graph from which nodes were removed before it was instantiated.
        if self.graph().has(node) {
            return Some(self.own(node));
        }
        let captured = self.captured.as_ref()?;
        let nodes = &captured.nodes;
        let found = nodes.binary_search_by_key(&node.handle(), |(own, _)| own.handle());
        let (own, function) = nodes[found.ok()?];
        (node.is_of(captured.id) && launches(function)).then(|| self.own(own))
    }

    /// A node with the id of this graph.
    #[inline(always)]
    fn own(&self, node: NodeId) -> ExecNode<'_> {
        ExecNode {
            exec: self,
            // SAFETY: the node belongs to the graph, which this value owns and whose nodes are not removed while it owns it.
            node: unsafe { Alive::new(node.handle().raw()) },
        }
    }

    /// Takes over the parameters of the nodes of `graph`: `cuGraphExecUpdate_v2`. The driver writes the result also if it returns an
    /// error.
    pub(crate) fn update_whole(&self, graph: GraphRef<'_>) -> (Result<(), CallError>, UpdateResult) {
        let mut result = UpdateResult::NONE;
        let outcome = self.api.cuGraphExecUpdate_v2(self.alive(), graph.graph, &mut result);
        (outcome, result)
    }

    /// The driver's objects, for a drop after the launches have finished. Nothing else of this value is used afterwards.
    pub(crate) fn take_objects(&mut self) -> Option<impl Send + use<>> {
        self.objects.take()
    }

    /// Frees memory that a launch of the graph has left allocated, after that launch on `stream`: `cuMemFreeAsync`. `Drop` calls this
    /// function, so the error is discarded.
    ///
    /// # Safety
    /// A node of this graph has returned the address, the last launch of the graph was on this stream, and no object owns the memory. The
    /// context was not reset since.
    pub(crate) unsafe fn free(&self, memory: CUdeviceptr, stream: StreamHandle<'_>) {
        if let Some(free) = self.api.cuMemFreeAsync {
            // SAFETY: CUDA Driver API, "Stream Ordered Memory Allocator", `cuMemFreeAsync`: the stream is alive. CUDA C++ Programming
            // Guide, "Graph Memory Nodes": the addresses of a graph's memory are fixed "over the life of the graph", which this value owns.
            // So the address refers to no other memory, and if the program has freed it with a raw call, the driver returns
            // `CUDA_ERROR_INVALID_VALUE`.
            unsafe { free(memory, stream.raw()) };
        }
    }

    /// `cuGraphUpload`.
    pub(crate) fn upload(&self, stream: StreamHandle<'_>) -> Result<(), CallError> {
        self.api.cuGraphUpload(self.alive(), stream)
    }

    /// `cuGraphLaunch`.
    ///
    /// Its caller has promised that the graph's kernels, copies and memsets may run with their current arguments: see
    /// [`GraphExec::launch`](crate::GraphExec::launch).
    pub(crate) fn launch(&self, stream: StreamHandle<'_>, _: Promise<'_>) -> Result<(), CallError> {
        let launch = required!(self.api, cuGraphLaunch)?;
        // SAFETY: CUDA Driver API, "Graph Management", `cuGraphLaunch`: the instantiated graph and the stream are
        // alive, and the promise is that its nodes may run.
        unsafe { launch(self.handle.raw(), stream.raw()) }.check("cuGraphLaunch")
    }
}

/// A node of an instantiated graph.
#[derive(Clone, Copy)]
pub(crate) struct ExecNode<'e> {
    exec: &'e Exec,
    node: Alive<'e, CUgraphNode_st>,
}

impl ExecNode<'_> {
    /// `cuGraphExecKernelNodeSetParams`.
    #[inline(always)]
    pub(crate) fn set_params(self, params: &KernelNodeParams<'_>) -> Result<(), CallError> {
        (self.exec.set_params)(self.exec.alive(), self.node, params).check("cuGraphExecKernelNodeSetParams_v2")
    }

    /// `cuGraphNodeSetEnabled`.
    pub(crate) fn set_enabled(self, enabled: bool) -> Result<(), CallError> {
        let (api, exec) = (self.exec.api, self.exec.alive());
        api.cuGraphNodeSetEnabled(exec, self.node, enabled.into())
    }

    /// `cuGraphNodeGetEnabled`.
    pub(crate) fn is_enabled(self) -> Result<bool, CallError> {
        let (api, exec, mut enabled) = (self.exec.api, self.exec.alive(), 0);
        api.cuGraphNodeGetEnabled(exec, self.node, &mut enabled)?;
        Ok(enabled != 0)
    }
}
