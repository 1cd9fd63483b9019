//! The nodes of a graph, and the objects that a graph holds.

use super::{
    Alive, Api, CallError, ContextHandle, FunctionHandle, Handle, LaunchAttribute,
    entry_points::required,
    node_id::{GraphId, NodeId},
    node_kinds::{HostFunction, HostNodeParams},
    node_params::KernelNodeRecord,
    out,
    remaining::Remaining,
};
use core::{ffi::c_void, ptr};
use cudarc::driver::sys::{CUfunc_st, CUgraph_st, CUgraphNode, CUgraphNode_st};
use std::{sync::Arc, vec, vec::Vec};

/// A node and the function that it launches; `None` for other kinds of nodes.
pub(super) type LaunchOf = (NodeId, Option<Handle<CUfunc_st>>);

/// A graph that is alive for `'g`.
#[derive(Clone, Copy)]
pub(crate) struct GraphRef<'g> {
    pub(super) api: &'static Api,
    pub(super) graph: Alive<'g, CUgraph_st>,
    pub(super) id: GraphId,
    /// `None` for a graph from which this crate removes no nodes.
    pub(super) remaining: Option<&'g Remaining>,
}

impl<'g> GraphRef<'g> {
    /// # Safety
    /// `id` is the id of the graph: nodes with this id belong to it.
    pub(super) unsafe fn new(api: &'static Api, graph: Alive<'g, CUgraph_st>, id: GraphId) -> Self {
        Self { api, graph, id, remaining: None }
    }

    /// Whether it is a node of this graph, which was not removed.
    pub(super) fn has(self, node: NodeId) -> bool {
        let remaining = || self.remaining.is_some_and(|nodes| nodes.contains(node));
        node.is_of(self.id) || remaining()
    }

    /// Whether it was a node of this graph, and was removed.
    pub(crate) fn had(self, node: NodeId) -> bool {
        self.remaining.is_some_and(|nodes| nodes.had(node))
    }

    /// A node of this graph; `None` if it belongs to a different graph, or was removed.
    pub(crate) fn node(self, id: NodeId) -> Option<GraphNode<'g>> {
        self.has(id).then(|| {
            // SAFETY: the node belongs to this graph, which is alive. Nodes that were removed from it have other ids.
            unsafe { GraphNode::new(self.api, id) }
        })
    }

    /// `cuGraphGetNodes`.
    pub(crate) fn nodes(self) -> Result<Vec<NodeId>, CallError> {
        let get = required!(self.api, cuGraphGetNodes)?;
        let raw = self.graph.raw();
        let mut count = 0;
        // SAFETY: CUDA Driver API, "Graph Management", `cuGraphGetNodes`: "nodes may be NULL, in which case this function will return the
        // number of nodes in numNodes".
        unsafe { get(raw, ptr::null_mut(), &mut count) }.check("cuGraphGetNodes")?;
        let mut nodes = vec![ptr::null_mut(); count];
        if count > 0 {
            // SAFETY: `cuGraphGetNodes` writes at most `count` nodes, and `nodes` has room for them.
            unsafe { get(raw, nodes.as_mut_ptr(), &mut count) }.check("cuGraphGetNodes")?;
            nodes.truncate(count);
        }
        Ok(self.ids(nodes).collect())
    }

    /// All nodes. A context must be current.
    pub(super) fn launches(self) -> Result<Vec<LaunchOf>, CallError> {
        let launch = |id| {
            let kernel = self.node(id).map_or(Ok(None), GraphNode::kernel)?;
            Ok((id, kernel.map(|(function, _)| function)))
        };
        self.nodes()?.into_iter().map(launch).collect()
    }

    /// `cuGraphGetEdges_v2`, or the first version for drivers older than 12.3.
    pub(crate) fn edges(self) -> Result<Vec<(NodeId, NodeId)>, CallError> {
        let mut count = 0;
        let no_nodes = ptr::null_mut();
        // SAFETY: all pointers are null.
        unsafe { self.get_edges(no_nodes, no_nodes, ptr::null_mut(), &mut count) }?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut from = vec![ptr::null_mut(); count];
        let (mut to, mut data) = (from.clone(), vec![0; count]);
        let (from_place, to_place) = (from.as_mut_ptr(), to.as_mut_ptr());
        // SAFETY: each array has room for `count` entries.
        unsafe { self.get_edges(from_place, to_place, data.as_mut_ptr(), &mut count) }?;
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
        let graph = self.graph.raw();
        if let Some(get) = self.api.cuGraphGetEdges_v2 {
            // SAFETY: CUDA Driver API, "Graph Management", `cuGraphGetEdges`: each array has room for `count` entries;
            // if the arrays are null, the call returns the number of edges. The graph is alive.
            let status = unsafe { get(graph, from, to, data, count) };
            return status.check("cuGraphGetEdges_v2");
        }
        let get = required!(self.api, cuGraphGetEdges)?;
        // SAFETY: CUDA Driver API, "Graph Management", `cuGraphGetEdges`: the first version has the same requirements,
        // and no edge data.
        unsafe { get(graph, from, to, count) }.check("cuGraphGetEdges")
    }

    /// The ids of nodes that the driver returned for this graph.
    fn ids(self, nodes: Vec<CUgraphNode>) -> impl Iterator<Item = NodeId> {
        nodes.into_iter().map(move |node| {
            let known = self.remaining.and_then(|nodes| nodes.id_of(Handle::new(node)));
            // SAFETY: the caller has received the nodes from a call for this graph.
            unsafe { NodeId::new(node, known.unwrap_or(self.id)) }
        })
    }

    /// Makes the graph hold `object` until the graph and every graph that was instantiated from it are destroyed and
    /// their launches have finished: `cuUserObjectCreate`, `cuGraphRetainUserObject`. Then a thread of the driver calls
    /// [`UserObject::released`].
    pub(crate) fn retain<T: UserObject>(self, object: Arc<T>) -> Result<(), CallError> {
        /// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`
        const NO_DESTRUCTOR_SYNC: u32 = 1;
        /// `CU_GRAPH_USER_OBJECT_MOVE`: the graph takes over the caller's reference.
        const MOVE: u32 = 1;
        let create = required!(self.api, cuUserObjectCreate)?;
        let retain = required!(self.api, cuGraphRetainUserObject)?;
        let release = required!(self.api, cuUserObjectRelease)?;
        let (mut user_object, pointer) = (ptr::null_mut(), Arc::into_raw(object).cast_mut());
        // SAFETY: CUDA Driver API, "Graph Management", `cuUserObjectCreate`: the driver passes the pointer to `release_object`
        // once, when the last reference to the object is released.
        let status = unsafe { create(&mut user_object, pointer.cast(), release_object::<T>, 1, NO_DESTRUCTOR_SYNC) };
        if let Err(error) = status.check("cuUserObjectCreate") {
            // SAFETY: the pointer is from `into_raw`, and the driver has not taken it.
            drop(unsafe { Arc::from_raw(pointer) });
            return Err(error);
        }
        // SAFETY: `cuGraphRetainUserObject`: the graph is alive, and takes the only reference to the object.
        let status = unsafe { retain(self.graph.raw(), user_object, 1, MOVE) };
        status.check("cuGraphRetainUserObject").inspect_err(|_| {
            // SAFETY: `cuUserObjectRelease`: the graph has not taken the reference, so it is released here.
            unsafe { release(user_object, 1) };
        })
    }

    /// The node of this graph, a copy, that corresponds to a node of the original: `cuGraphNodeFindInClone`.
    pub(super) fn copy_of(self, original: GraphNode<'_>) -> Result<NodeId, CallError> {
        let mut node = ptr::null_mut();
        self.api.cuGraphNodeFindInClone(&mut node, original.node, self.graph)?;
        // SAFETY: the call returns a node of this graph.
        Ok(unsafe { NodeId::new(node, self.id) })
    }

    /// `cuGraphConditionalHandleCreate`: a handle whose value is `default` at the start of each launch.
    pub(crate) fn new_condition(self, context: ContextHandle<'_>, default: u32) -> Result<u64, CallError> {
        /// `CU_GRAPH_COND_ASSIGN_DEFAULT`.
        const ASSIGN_DEFAULT: u32 = 1;
        let (api, graph) = (self.api, self.graph);
        out(|handle| api.cuGraphConditionalHandleCreate(handle, graph, context, default, ASSIGN_DEFAULT))
    }

    pub(super) fn alive(self) -> Alive<'g, CUgraph_st> {
        self.graph
    }

    pub(crate) fn id(self) -> GraphId {
        self.id
    }

    pub(crate) fn handle(self) -> Handle<CUgraph_st> {
        Handle::new(self.graph.raw())
    }
}

/// An object that a graph can hold.
pub(crate) trait UserObject: Send + Sync + 'static {
    /// The graph has released the object. This can run on any thread, and must not call CUDA.
    fn released(self: Arc<Self>);
}

/// The destructor of a user object. A panic ends the process, because it cannot unwind into the driver.
///
/// # Safety
/// `object` is the pointer of an `Arc<T>`, and this function takes ownership of it.
unsafe extern "C" fn release_object<T: UserObject>(object: *mut c_void) {
    // SAFETY: the driver passes the pointer that `retain` registered.
    unsafe { Arc::from_raw(object.cast::<T>().cast_const()) }.released();
}

impl HostNodeParams {
    /// The graph must hold `function` until the last launch that calls it has finished.
    pub(super) fn of<F: HostFunction>(function: &Arc<F>) -> Self {
        Self { function: run_host_function::<F>, data: Arc::as_ptr(function).cast_mut().cast() }
    }
}

/// # Safety
/// `function` points to an `F` that is alive during the call.
unsafe extern "C" fn run_host_function<F: HostFunction>(function: *mut c_void) {
    // SAFETY: the driver passes the pointer of `HostNodeParams::of`, and the graph holds its `Arc` until its launches have finished.
    unsafe { &*function.cast::<F>().cast_const() }.run();
}

/// A node of a graph that is alive for `'g`.
#[derive(Clone, Copy)]
pub(crate) struct GraphNode<'g> {
    api: &'static Api,
    node: Alive<'g, CUgraphNode_st>,
}

/// What a kernel node launches.
pub(crate) struct NodeLaunch<'g> {
    pub(crate) function: FunctionHandle<'g>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
}

impl<'g> GraphNode<'g> {
    /// # Safety
    /// The node and its graph are alive for `'g`.
    pub(super) unsafe fn new(api: &'static Api, id: NodeId) -> Self {
        Self {
            api,
            // SAFETY: the contract of this function.
            node: unsafe { Alive::new(id.node.raw()) },
        }
    }

    /// `CUgraphNodeType` as a number.
    pub(crate) fn kind(self) -> Result<u32, CallError> {
        out(|kind| self.api.cuGraphNodeGetType(self.node, kind))
    }

    /// The graph of a child graph node: `cuGraphChildGraphNodeGetGraph`. Its nodes get the id `id`.
    pub(super) fn child_graph(self, id: GraphId) -> Result<GraphRef<'g>, CallError> {
        let mut graph = ptr::null_mut();
        self.api.cuGraphChildGraphNodeGetGraph(self.node, &mut graph)?;
        Ok(GraphRef {
            api: self.api,
            // SAFETY: `cuGraphChildGraphNodeGetGraph`: "the node retains ownership of the graph", and the node is alive.
            graph: unsafe { Alive::new(graph) },
            id,
            remaining: None,
        })
    }

    /// The function that the node launches and its dynamic shared memory; `None` for other kinds of nodes. For a kernel
    /// without a context, the function of the current context.
    pub(crate) fn kernel(self) -> Result<Option<(Handle<CUfunc_st>, u32)>, CallError> {
        let launch = self.launch()?;
        Ok(launch.map(|launch| (Handle::new(launch.function.raw()), launch.shared)))
    }

    /// Same as [`kernel`](Self::kernel), with the grid and the block.
    pub(crate) fn launch(self) -> Result<Option<NodeLaunch<'g>>, CallError> {
        /// `CU_GRAPH_NODE_TYPE_KERNEL`.
        const KERNEL: u32 = 0;
        let Self { api, node } = self;
        required!(api, cuGraphKernelNodeGetParams_v2)?;
        if out(|kind| api.cuGraphNodeGetType(node, kind))? != KERNEL {
            return Ok(None);
        }
        let mut record = KernelNodeRecord::EMPTY;
        api.cuGraphKernelNodeGetParams_v2(node, &mut record)?;
        let mut function = record.function;
        if function.is_null() && !record.kernel.is_null() {
            // SAFETY: the kernel of a node stays loaded as long as the node can be launched.
            let kernel = unsafe { Alive::new(record.kernel) };
            api.cuKernelGetFunction(&mut function, kernel)?;
        }
        Ok(Some(NodeLaunch {
            // SAFETY: the function of a node stays loaded as long as the node can be launched.
            function: unsafe { Alive::new(function) },
            grid: record.grid,
            block: record.block,
            shared: record.shared,
        }))
    }

    /// Sets an attribute of a kernel node: `cuGraphKernelNodeSetAttribute`.
    pub(crate) fn set_attribute(self, attribute: &LaunchAttribute<'_>) -> Result<(), CallError> {
        let set = required!(self.api, cuGraphKernelNodeSetAttribute)?;
        // SAFETY: CUDA Driver API, "Graph Management", `cuGraphKernelNodeSetAttribute`: the node is alive, and the
        // value belongs to the attribute's id. The call copies the value.
        unsafe { set(self.node.raw(), attribute.id, &attribute.value) }.check("cuGraphKernelNodeSetAttribute")
    }

    /// Reads an attribute of a kernel node: `cuGraphKernelNodeGetAttribute`.
    pub(crate) fn attribute(self, id: u32) -> Result<LaunchAttribute<'static>, CallError> {
        let mut attribute = LaunchAttribute::new(id);
        self.api.cuGraphKernelNodeGetAttribute(self.node, id, &mut attribute.value)?;
        Ok(attribute)
    }
}
