//! Instantiated graphs.

use super::{
    Alive, Api, CallError, ContextHandle, Graph, Handle, KernelNodeParams, MemoryStep, Promise, Status, StreamHandle,
    UpdateResult,
    entry_points::required,
    graph::MemoryParams,
    graph_nodes::GraphRef,
    handle::{ExecHandle, NodeHandle, Owned},
    inner_graph::InnerGraph,
    node_id::{GraphId, NodeId},
    out,
};
use core::{cell::Cell, marker::PhantomData};
use cudarc::driver::sys::{CUdeviceptr, CUgraph, CUgraphExec, CUgraphExec_st, CUgraphNode};

/// The driver frees it when its launches have finished.
pub(crate) struct Exec {
    api: &'static Api,
    /// `cuGraphExecKernelNodeSetParams_v2`, looked up once.
    set_params: SetParams,
    handle: Handle<CUgraphExec_st>,
    /// Dropped in this order; `None` only while this value is dropped.
    objects: Option<(Owned<CUgraphExec_st>, Graph)>,
    id: GraphId,
    exclusive: PhantomData<Cell<()>>,
}

type SetParams = extern "C" fn(ExecHandle<'_>, NodeHandle<'_>, &KernelNodeParams<'_>) -> Status;

impl Exec {
    pub(crate) fn instantiate(graph: Graph, flags: u64) -> Result<Self, CallError> {
        let (api, id) = (graph.api(), graph.id());
        let handle = out(|exec| api.cuGraphInstantiateWithFlags(exec, graph.as_ref().graph, flags))?;
        // SAFETY: the call has created the instantiated graph, and only this value owns it.
        let exec = unsafe { Owned::new(api, handle) };
        Ok(Self {
            api,
            set_params: required!(api, cuGraphExecKernelNodeSetParams_v2)?,
            handle: Handle::new(handle),
            objects: Some((exec, graph)),
            id,
            exclusive: PhantomData,
        })
    }

    #[inline(always)]
    pub(crate) fn api(&self) -> &'static Api {
        self.api
    }

    #[inline(always)]
    fn alive(&self) -> ExecHandle<'_> {
        // SAFETY: `objects` owns the instantiated graph of this handle, and destroys it when this is dropped.
        unsafe { Alive::new(self.handle.raw()) }
    }

    pub(crate) fn raw(&self) -> CUgraphExec {
        self.handle.raw()
    }

    fn instantiated(&self) -> &Graph {
        match &self.objects {
            Some((_, graph)) => graph,
            None => unreachable!("only `destroy` takes them"),
        }
    }

    pub(crate) fn graph(&self) -> GraphRef<'_> {
        self.instantiated().as_ref()
    }

    pub(crate) fn raw_graph(&self) -> CUgraph {
        self.instantiated().raw()
    }

    /// Returns whether it has a conditional node, at any depth.
    pub(crate) fn has_bodies(&self) -> bool {
        self.instantiated().has_bodies()
    }

    /// Returns a node of this graph or of a graph inside of it.
    #[inline(always)]
    pub(crate) fn node(&self, node: NodeId) -> Option<ExecNode<'_>> {
        let handle = if node.is_of(self.id) { node.raw() } else { self.inside_or_former(node)? };
        Some(ExecNode {
            exec: self,
            // SAFETY: the node belongs to the graph that this value owns, whose nodes are no longer removed, or to a
            // graph inside of it.
            node: unsafe { Alive::new(handle) },
        })
    }

    /// Returns a node of a nested graph, or a node that is older than the last removal.
    #[cold]
    fn inside_or_former(&self, node: NodeId) -> Option<CUgraphNode> {
        let graph = self.instantiated();
        let inside = InnerGraph::find(&graph.inside.borrow(), node);
        inside.or_else(|| graph.as_ref().has(node).then(|| node.raw()))
    }

    /// `cuGraphExecUpdate_v2`. The driver writes the result also if it returns an error.
    pub(crate) fn update_whole(&self, graph: GraphRef<'_>) -> (Result<(), CallError>, UpdateResult) {
        let mut result = UpdateResult::NONE;
        let outcome = self.api.cuGraphExecUpdate_v2(self.alive(), graph.graph, &mut result);
        (outcome, result)
    }

    /// Destroys the driver's objects, also while this thread captures a stream. Nothing else of this value is used
    /// afterwards.
    pub(crate) fn destroy(&mut self) {
        let mut mode = Api::RELAXED;
        let exchanged = self.api.cuThreadExchangeStreamCaptureMode(&mut mode);
        drop(self.objects.take());
        if exchanged.is_ok() {
            // `mode` is the previous mode.
            let _ = self.api.cuThreadExchangeStreamCaptureMode(&mut mode);
        }
    }

    /// Frees memory that a launch of the graph has left allocated, after that launch. `Drop` calls this, so the error
    /// is discarded.
    ///
    /// # Safety
    /// A node of this graph has returned the address, the last launch of the graph was on this stream, no object owns
    /// the memory, and the context was not reset since.
    pub(crate) unsafe fn free(&self, memory: CUdeviceptr, stream: StreamHandle<'_>) {
        // SAFETY: `cuMemFreeAsync`: the stream is alive. CUDA C++ Programming Guide, "Graph Memory Nodes": the
        // addresses of a graph's memory are fixed "over the life of the graph", which this value owns. So the address
        // refers to no other memory, and if user code has freed it with a raw call, the driver returns
        // `CUDA_ERROR_INVALID_VALUE`.
        let _ = unsafe { self.api.cuMemFreeAsync(memory, stream.raw()) };
    }

    pub(crate) fn upload(&self, stream: StreamHandle<'_>) -> Result<(), CallError> {
        self.api.cuGraphUpload(self.alive(), stream)
    }

    /// The promise is that the graph's kernels, copies and memsets may run with their current arguments: see
    /// [`GraphExec::launch`](crate::GraphExec::launch).
    pub(crate) fn launch(&self, stream: StreamHandle<'_>, _: Promise<'_>) -> Result<(), CallError> {
        // SAFETY: `cuGraphLaunch`: the graph and the stream are alive, and the promise is that its nodes may run.
        unsafe { self.api.cuGraphLaunch(self.handle.raw(), stream.raw()) }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ExecNode<'e> {
    exec: &'e Exec,
    node: NodeHandle<'e>,
}

impl ExecNode<'_> {
    #[inline(always)]
    pub(crate) fn set_params(self, params: &KernelNodeParams<'_>) -> Result<(), CallError> {
        (self.exec.set_params)(self.exec.alive(), self.node, params).check("cuGraphExecKernelNodeSetParams_v2")
    }

    /// Updates a node that [`After::add_memory`](super::After::add_memory) has added, for a step of the same kind.
    pub(crate) fn set_memory(self, step: &MemoryStep<'_>, context: ContextHandle<'_>) -> Result<(), CallError> {
        let (api, exec, node) = (self.exec.api, self.exec.handle.raw(), self.node.raw());
        match step.operation.params() {
            MemoryParams::Set(memset) => {
                // SAFETY: `cuGraphExecMemsetNodeSetParams`: the instantiated graph is alive, has this node, and belongs
                // to this thread. The call copies the parameters: the caller of a graph launch guarantees that the
                // memory is valid.
                unsafe { api.cuGraphExecMemsetNodeSetParams(exec, node, &memset, context) }
            }
            MemoryParams::Copy(copy) => {
                // SAFETY: `cuGraphExecMemcpyNodeSetParams`: the same.
                unsafe { api.cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context) }
            }
        }
    }

    pub(crate) fn set_enabled(self, enabled: bool) -> Result<(), CallError> {
        self.exec.api.cuGraphNodeSetEnabled(self.exec.alive(), self.node, enabled.into())
    }

    pub(crate) fn is_enabled(self) -> Result<bool, CallError> {
        let exec = self.exec;
        Ok(out(|enabled| exec.api.cuGraphNodeGetEnabled(exec.alive(), self.node, enabled))? != 0)
    }
}
