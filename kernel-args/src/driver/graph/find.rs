//! The kernel nodes of a graph that was captured by other code.

use super::{AnyNode, Graph, Node, explain, handle::GraphId, order::ordered};
use crate::{
    driver::{
        api::{Api, KernelNodeParams, Status, required},
        error::Error,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use core::ptr;
use cudarc::driver::sys::{CUfunction, CUgraph, CUgraphNode};
use std::{vec, vec::Vec};

/// `CU_GRAPH_NODE_TYPE_KERNEL`.
const KERNEL: u32 = 0;

/// The nodes of a graph by their handles, in the order of these, with the functions of the kernel nodes.
#[derive(Default)]
pub(super) struct Listed(Vec<(CUgraphNode, Option<CUfunction>)>);

impl Listed {
    #[cold]
    fn find(&self, node: CUgraphNode) -> Option<&(CUgraphNode, Option<CUfunction>)> {
        let at = self.0.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        self.0.get(at)
    }

    /// Whether this is one of the nodes.
    pub(super) fn has(&self, node: CUgraphNode) -> bool {
        self.find(node).is_some()
    }

    /// Whether this is one of the nodes, and launches `function`.
    pub(super) fn has_kernel(&self, node: CUgraphNode, function: CUfunction) -> bool {
        self.find(node) == Some(&(node, Some(function)))
    }
}

/// Lists the nodes of `graph`.
///
/// # Safety
/// `graph` is alive, and a context is current.
pub(super) unsafe fn list(api: &Api, graph: CUgraph) -> Result<Listed, Error> {
    // SAFETY: the caller vouches for the graph.
    let nodes = unsafe { nodes(api, graph) }?;
    let mut listed = Vec::with_capacity(nodes.len());
    for node in nodes {
        // SAFETY: a node of that graph.
        listed.push((node, unsafe { function_of(api, node) }?));
    }
    listed.sort_unstable_by_key(|(node, _)| *node);
    Ok(Listed(listed))
}

impl Graph {
    /// The nodes that launch `kernel`, each after those that it depends on; among others in the order of the driver's list.
    /// Launches that were captured from one stream so come in the order of the launches.
    ///
    /// A graph that other code has captured consists of nodes without types; those that are found here launch a kernel which
    /// was verified against `A`. They can be updated with arguments that the graph retains.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn kernel_nodes<A: KernelArgs>(
        &mut self,
        kernel: &Kernel<A>,
    ) -> Result<Vec<Node<A>>, Error> {
        self.context.bind_to_thread().map_err(Error::context)?;
        // SAFETY: the graph is alive.
        let mut nodes = unsafe { nodes_of(self.handle.api, self.handle.raw(), self.id, kernel) }?;
        for node in &mut nodes {
            node.slot = Some(self.slot(kernel.keep_loaded())?);
        }
        Ok(nodes)
    }
}

/// The nodes of `graph` that launch `kernel`, each after those that it depends on.
///
/// # Safety
/// `graph` is alive, and a context is current.
pub(super) unsafe fn nodes_of<A: KernelArgs>(
    api: &Api,
    graph: CUgraph,
    id: GraphId,
    kernel: &Kernel<A>,
) -> Result<Vec<Node<A>>, Error> {
    // SAFETY: the caller vouches for the graph.
    let listed = unsafe { nodes(api, graph) }?;
    // SAFETY: as above.
    let edges = unsafe { edges(api, graph) }?;
    let mut found = Vec::new();
    for node in ordered(&listed, &edges) {
        // SAFETY: a node of that graph.
        let Some(params) = unsafe { kernel_params(api, node) }? else {
            continue;
        };
        // SAFETY: the parameters are those that the driver gave.
        if unsafe { function_in(api, &params) }? == Some(kernel.cu_function()) {
            found.push(Node {
                kernel: kernel.clone(),
                any: AnyNode { node, graph: id },
                shared: params.shared,
                cluster: None,
                slot: None,
            });
        }
    }
    Ok(found)
}

/// `cuGraphGetNodes`.
///
/// # Safety
/// `graph` is alive.
unsafe fn nodes(api: &Api, graph: CUgraph) -> Result<Vec<CUgraphNode>, Error> {
    let get = required!(api, cuGraphGetNodes)?;
    let mut count = 0;
    // SAFETY: the caller vouches for the graph; without a place for nodes, the driver writes their number.
    checked("cuGraphGetNodes", unsafe {
        get(graph, ptr::null_mut(), &raw mut count)
    })?;
    let mut nodes = vec![ptr::null_mut(); count];
    if count > 0 {
        // SAFETY: as above; there is room for `count` nodes.
        checked("cuGraphGetNodes", unsafe {
            get(graph, nodes.as_mut_ptr(), &raw mut count)
        })?;
        nodes.truncate(count);
    }
    Ok(nodes)
}

/// `cuGraphGetEdges_v2`, or the first version of it in a driver that is older than 12.3.
///
/// # Safety
/// `graph` is alive.
unsafe fn edges(api: &Api, graph: CUgraph) -> Result<Vec<(CUgraphNode, CUgraphNode)>, Error> {
    let get = |from: *mut CUgraphNode, to: *mut CUgraphNode, data: *mut u64, count: &mut usize| {
        if let Some(get) = api.cuGraphGetEdges_v2 {
            // SAFETY: the caller vouches for the graph, and for the room at each place: the number that it passes, or null.
            let status = unsafe { get(graph, from, to, data, count) };
            return checked("cuGraphGetEdges_v2", status);
        }
        let get = required!(api, cuGraphGetEdges)?;
        // SAFETY: as above.
        checked("cuGraphGetEdges", unsafe { get(graph, from, to, count) })
    };
    let mut count = 0;
    get(
        ptr::null_mut(),
        ptr::null_mut(),
        ptr::null_mut(),
        &mut count,
    )?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let (mut from, mut to) = (vec![ptr::null_mut(); count], vec![ptr::null_mut(); count]);
    // `CUgraphEdgeData` has 8 bytes.
    let mut data = vec![0_u64; count];
    get(
        from.as_mut_ptr(),
        to.as_mut_ptr(),
        data.as_mut_ptr(),
        &mut count,
    )?;
    Ok(from.into_iter().zip(to).take(count).collect())
}

/// The function that a node launches; `None` for a node of another kind.
///
/// # Safety
/// `node` is a node of a graph that is alive, and a context is current.
pub(super) unsafe fn function_of(
    api: &Api,
    node: CUgraphNode,
) -> Result<Option<CUfunction>, Error> {
    // SAFETY: the caller's promise is the same one.
    match unsafe { kernel_params(api, node) }? {
        // SAFETY: the parameters are those that the driver gave.
        Some(params) => unsafe { function_in(api, &params) },
        None => Ok(None),
    }
}

/// `cuGraphKernelNodeGetParams_v2` of a kernel node.
///
/// # Safety
/// `node` is a node of a graph that is alive.
unsafe fn kernel_params(api: &Api, node: CUgraphNode) -> Result<Option<KernelNodeParams>, Error> {
    let get_type = required!(api, cuGraphNodeGetType)?;
    let get_params = required!(api, cuGraphKernelNodeGetParams_v2)?;
    let mut kind = 0;
    // SAFETY: the caller vouches for the node; `kind` outlives the call.
    checked("cuGraphNodeGetType", unsafe {
        get_type(node, &raw mut kind)
    })?;
    if kind != KERNEL {
        return Ok(None);
    }
    let mut params = KernelNodeParams {
        function: ptr::null_mut(),
        grid: [0; 3],
        block: [0; 3],
        shared: 0,
        params: ptr::null_mut(),
        extra: ptr::null_mut(),
        kernel: ptr::null_mut(),
        context: ptr::null_mut(),
    };
    // SAFETY: as above.
    checked("cuGraphKernelNodeGetParams_v2", unsafe {
        get_params(node, &raw mut params)
    })?;
    Ok(Some(params))
}

/// The function of a kernel node; of a kernel without a context, its function in the current one.
///
/// # Safety
/// The driver gave `params`, and a context is current.
unsafe fn function_in(api: &Api, params: &KernelNodeParams) -> Result<Option<CUfunction>, Error> {
    if !params.function.is_null() || params.kernel.is_null() {
        return Ok(Some(params.function));
    }
    let get = required!(api, cuKernelGetFunction)?;
    let mut function = ptr::null_mut();
    // SAFETY: the driver gave the kernel; `function` outlives the call.
    checked("cuKernelGetFunction", unsafe {
        get(&raw mut function, params.kernel)
    })?;
    Ok(Some(function))
}

fn checked(call: &'static str, status: Status) -> Result<(), Error> {
    match status {
        Status::SUCCESS => Ok(()),
        status => Err(explain::call(explain::FOUND, call, status)),
    }
}
