//! The nodes of a graph.

use super::{
    Alive, Api, CallError, ContextHandle, FunctionHandle, LaunchAttribute,
    handle::{GraphHandle, NodeHandle},
    node_id::{GraphId, NodeId, Remaining},
    node_params::{HostFunction, HostNodeParams, KernelNodeRecord},
    out,
};
use core::{ffi::c_void, ptr};
use cudarc::driver::sys::{CUfunction, CUgraphNode};
use std::sync::Arc;

#[derive(Clone, Copy)]
pub(crate) struct GraphRef<'g> {
    pub(super) api: &'static Api,
    pub(super) graph: GraphHandle<'g>,
    pub(super) id: GraphId,
    /// `None` if this crate removes no nodes from it.
    pub(super) remaining: Option<&'g Remaining>,
}

impl<'g> GraphRef<'g> {
    pub(super) fn has(self, node: NodeId) -> bool {
        node.is_of(self.id) || self.remaining.is_some_and(|nodes| nodes.contains(node))
    }

    /// Returns whether it was removed from this graph.
    pub(crate) fn had(self, node: NodeId) -> bool {
        self.remaining.is_some_and(|nodes| nodes.had(node))
    }

    /// `None` if the node belongs to a different graph, or was removed.
    pub(crate) fn node(self, id: NodeId) -> Option<GraphNode<'g>> {
        self.has(id).then(|| {
            // SAFETY: the node belongs to this graph, which is alive, and was not removed.
            unsafe { GraphNode::new(self.api, id) }
        })
    }

    pub(crate) fn nodes(self) -> Result<Vec<NodeId>, CallError> {
        let (raw, mut count) = (self.graph.raw(), 0);
        // SAFETY: `cuGraphGetNodes`: if `nodes` is null, it returns the number of nodes.
        unsafe { self.api.cuGraphGetNodes(raw, ptr::null_mut(), &mut count) }?;
        let mut nodes = vec![ptr::null_mut(); count];
        if count > 0 {
            // SAFETY: `cuGraphGetNodes` writes at most `count` nodes, and `nodes` has room for them.
            unsafe { self.api.cuGraphGetNodes(raw, nodes.as_mut_ptr(), &mut count) }?;
            nodes.truncate(count);
        }
        Ok(self.ids(nodes).collect())
    }

    /// Drivers older than 12.3 have only the first version.
    pub(crate) fn edges(self) -> Result<Vec<(NodeId, NodeId)>, CallError> {
        let mut count = 0;
        let no_nodes = ptr::null_mut();
        // SAFETY: all pointers are null.
        unsafe { self.get_edges(no_nodes, no_nodes, ptr::null_mut(), &mut count) }?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let (mut from, mut data) = (vec![ptr::null_mut(); count], vec![0; count]);
        let mut to = from.clone();
        // SAFETY: each array has room for `count` entries.
        unsafe { self.get_edges(from.as_mut_ptr(), to.as_mut_ptr(), data.as_mut_ptr(), &mut count) }?;
        Ok(self.ids(from).zip(self.ids(to)).take(count).collect())
    }

    /// # Safety
    /// Each pointer is null or has room for `count` entries.
    unsafe fn get_edges(
        self,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        data: *mut u64,
        count: &mut usize,
    ) -> Result<(), CallError> {
        let (api, graph) = (self.api, self.graph.raw());
        if api.cuGraphGetEdges_v2.is_some() {
            // SAFETY: `cuGraphGetEdges`: each array has room for `count` entries, or all are null, and the call returns
            // the number of edges. The graph is alive.
            return unsafe { api.cuGraphGetEdges_v2(graph, from, to, data, count) };
        }
        // SAFETY: the first version has the same requirements, and no edge data.
        unsafe { api.cuGraphGetEdges(graph, from, to, count) }
    }

    fn ids(self, nodes: Vec<CUgraphNode>) -> impl Iterator<Item = NodeId> {
        nodes.into_iter().map(move |node| {
            let known = self.remaining.and_then(|nodes| nodes.id_of(node));
            // SAFETY: the caller has received the nodes from a call for this graph.
            unsafe { NodeId::new(node, known.unwrap_or(self.id)) }
        })
    }

    /// Returns the node of this graph, a copy, for a node of the original.
    pub(super) fn copy_of(self, original: GraphNode<'_>) -> Result<NodeId, CallError> {
        let node = out(|node| self.api.cuGraphNodeFindInClone(node, original.node, self.graph))?;
        // SAFETY: the call returns a node of this graph.
        Ok(unsafe { NodeId::new(node, self.id) })
    }

    /// Creates a handle whose value is `default` at the start of each launch.
    pub(crate) fn new_condition(self, context: ContextHandle<'_>, default: u32) -> Result<u64, CallError> {
        /// `CU_GRAPH_COND_ASSIGN_DEFAULT`.
        const ASSIGN_DEFAULT: u32 = 1;
        out(|handle| self.api.cuGraphConditionalHandleCreate(handle, self.graph, context, default, ASSIGN_DEFAULT))
    }

    pub(crate) fn id(self) -> GraphId {
        self.id
    }
}

impl HostNodeParams {
    /// The graph must hold `function` until the last launch that calls it has finished.
    pub(crate) fn of<F: HostFunction>(function: &Arc<F>) -> Self {
        Self { function: run_host_function::<F>, data: Arc::as_ptr(function).cast_mut().cast() }
    }
}

/// # Safety
/// `function` points to an `F` that is alive during the call.
unsafe extern "C" fn run_host_function<F: HostFunction>(function: *mut c_void) {
    // SAFETY: the driver passes the pointer of `HostNodeParams::of`, and the graph holds its `Arc` until its launches
    // have finished.
    unsafe { &*function.cast::<F>().cast_const() }.run();
}

#[derive(Clone, Copy)]
pub(crate) struct GraphNode<'g> {
    pub(super) api: &'static Api,
    pub(super) node: NodeHandle<'g>,
}

pub(crate) struct NodeLaunch<'g> {
    pub(crate) function: FunctionHandle<'g>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
}

impl NodeLaunch<'_> {
    pub(crate) fn is_of(&self, function: CUfunction) -> bool {
        self.function.raw() == function
    }
}

impl<'g> GraphNode<'g> {
    /// # Safety
    /// The node and its graph are alive for `'g`.
    pub(super) unsafe fn new(api: &'static Api, id: NodeId) -> Self {
        Self {
            api,
            // SAFETY: the contract of this function.
            node: unsafe { Alive::new(id.raw()) },
        }
    }

    pub(crate) fn kind(self) -> Result<u32, CallError> {
        out(|kind| self.api.cuGraphNodeGetType(self.node, kind))
    }

    /// Returns the graph of a child graph node. Its nodes get the id `id`.
    pub(super) fn child_graph(self, id: GraphId) -> Result<GraphRef<'g>, CallError> {
        let graph = out(|graph| self.api.cuGraphChildGraphNodeGetGraph(self.node, graph))?;
        Ok(GraphRef {
            api: self.api,
            // SAFETY: `cuGraphChildGraphNodeGetGraph`: "the node retains ownership of the graph", and the node is
            // alive.
            graph: unsafe { Alive::new(graph) },
            id,
            remaining: None,
        })
    }

    /// `None` for other kinds of nodes. For a kernel without a context, the function of the current context.
    pub(crate) fn launch(self) -> Result<Option<NodeLaunch<'g>>, CallError> {
        /// `CU_GRAPH_NODE_TYPE_KERNEL`.
        const KERNEL: u32 = 0;
        if self.kind()? != KERNEL {
            return Ok(None);
        }
        let (KernelNodeRecord { grid, block, shared, .. }, function) = self.kernel()?;
        Ok(Some(NodeLaunch { function, grid, block, shared }))
    }

    /// Returns the driver's parameters of a kernel node, and its function in the current context.
    pub(super) fn kernel(self) -> Result<(KernelNodeRecord, FunctionHandle<'g>), CallError> {
        let Self { api, node } = self;
        let mut record = KernelNodeRecord::EMPTY;
        api.cuGraphKernelNodeGetParams_v2(node, &mut record)?;
        let mut function = record.function;
        if function.is_null() && !record.kernel.is_null() {
            // SAFETY: the kernel of a node stays loaded as long as the node can be launched.
            let kernel = unsafe { Alive::new(record.kernel) };
            api.cuKernelGetFunction(&mut function, kernel)?;
        }
        // SAFETY: the function of a node stays loaded as long as the node can be launched.
        Ok((record, unsafe { Alive::new(function) }))
    }

    pub(crate) fn set_attribute(self, attribute: &LaunchAttribute<'_>) -> Result<(), CallError> {
        // SAFETY: `cuGraphKernelNodeSetAttribute`: the node is alive, and the value, which the call copies, belongs to
        // the attribute's id.
        unsafe { self.api.cuGraphKernelNodeSetAttribute(self.node.raw(), attribute.id, &attribute.value) }
    }

    pub(crate) fn attribute(self, id: u32) -> Result<LaunchAttribute<'static>, CallError> {
        let mut attribute = LaunchAttribute::new(id);
        self.api.cuGraphKernelNodeGetAttribute(self.node, id, &mut attribute.value)?;
        Ok(attribute)
    }
}

/// `CUgraphExecUpdateResultInfo`, as the driver writes it.
#[repr(C)]
pub(crate) struct UpdateResult {
    /// `CUgraphExecUpdateResult`, also of newer drivers.
    pub(crate) result: u32,
    node: CUgraphNode,
    from: CUgraphNode,
}

impl UpdateResult {
    pub(super) const NONE: Self = Self { result: u32::MAX, node: ptr::null_mut(), from: ptr::null_mut() };

    /// Returns the node of the new graph that does not fit, if the driver names one.
    pub(crate) fn node(&self, graph: GraphRef<'_>) -> Option<NodeId> {
        let mut nodes = graph.nodes().ok()?.into_iter();
        nodes.find(|node| !self.node.is_null() && node.raw() == self.node)
    }
}
