//! An instantiated graph.

use super::{
    Graph, Node, explain,
    find::{self, Listed},
    handle::{ExecHandle, GraphHandle, GraphId},
    owner::{Owner, Slot},
    release::{Event, release},
};
use crate::{
    driver::{
        api::{Api, KernelNodeParams, Status, api, required},
        context::bind,
        error::Error,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use cudarc::driver::{
    CudaContext, CudaGraph, CudaStream,
    sys::{CUgraph, CUgraphExec, CUgraphNode, CUstream},
};
use std::{sync::Arc, vec::Vec};

/// An instantiated graph, which can be launched again and again, with new arguments for its nodes.
///
/// [`Graph`] says what keeps the arguments' memory allocated. Each launch runs after the previous one of the same `GraphExec`,
/// on whatever stream; an update changes the launches that follow it.
pub struct GraphExec {
    api: &'static Api,
    /// `cuGraphExecKernelNodeSetParams_v2`, looked up once.
    pub(super) set_params: SetParams,
    exec: CUgraphExec,
    handles: Handles,
    pub(super) id: GraphId,
    pub(super) context: Arc<CudaContext>,
    /// The kernel nodes of a graph that other code has captured.
    pub(super) listed: Listed,
    /// Where it was launched last.
    launched_on: Option<Arc<CudaStream>>,
}

/// The type of `cuGraphExecKernelNodeSetParams_v2`.
pub(super) type SetParams =
    unsafe extern "C" fn(CUgraphExec, CUgraphNode, *const KernelNodeParams) -> Status;

/// What destroys the driver's objects.
enum Handles {
    /// Dropped in this order.
    Own {
        #[expect(dead_code, reason = "held, not read")]
        exec: ExecHandle,
        graph: GraphHandle,
    },
    Cudarc(CudaGraph),
}

// SAFETY: as for `GraphHandle`: the driver's graphs may be used from any thread, by one at a time. This has the graph to
// itself, every method that passes it to the driver takes it by `&mut`, and the rest is `Send` itself. `CudaGraph` holds the
// same handles, and an `Arc` of a stream, which is `Send` and `Sync`.
unsafe impl Send for GraphExec {}

impl GraphExec {
    pub(super) fn of(graph: Graph, exec: ExecHandle) -> Result<Self, Error> {
        let Graph {
            handle,
            id,
            context,
        } = graph;
        Ok(Self {
            api: handle.api,
            set_params: required!(handle.api, cuGraphExecKernelNodeSetParams_v2)?,
            exec: exec.raw(),
            handles: Handles::Own {
                exec,
                graph: handle,
            },
            id,
            context,
            listed: Listed::default(),
            launched_on: None,
        })
    }

    /// A graph that cudarc has captured in `ctx`, `stream.end_capture(…)`.
    ///
    /// Nodes of launches that were captured with [`launch!`](crate::launch!)'s `node` can be updated, and so can those that
    /// [`kernel_nodes`](Self::kernel_nodes) finds.
    ///
    /// # Errors
    /// [`Error::Graph`] where the driver does not list the nodes.
    pub fn from_cudarc(ctx: &Arc<CudaContext>, graph: CudaGraph) -> Result<Self, Error> {
        let api = api()?;
        ctx.bind_to_thread().map_err(Error::context)?;
        // SAFETY: the graph is alive.
        let listed = unsafe { find::list(api, graph.cu_graph()) }?;
        Ok(Self {
            api,
            set_params: required!(api, cuGraphExecKernelNodeSetParams_v2)?,
            exec: graph.cu_graph_exec(),
            handles: Handles::Cudarc(graph),
            id: GraphId::new(),
            context: ctx.clone(),
            listed,
            launched_on: None,
        })
    }

    /// The nodes that launch `kernel`, each after those that it depends on; among others in the order of the driver's list.
    ///
    /// A node that is found here cannot retain arguments: see [`update_unretained`](Self::update_unretained). Those that
    /// [`Graph::kernel_nodes`] finds can.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn kernel_nodes<A: KernelArgs>(
        &mut self,
        kernel: &Kernel<A>,
    ) -> Result<Vec<Node<A>>, Error> {
        self.context.bind_to_thread().map_err(Error::context)?;
        // SAFETY: the graph is alive.
        unsafe { find::nodes_of(self.api(), self.cu_graph(), self.id, kernel) }
    }

    /// Uploads the graph to the GPU, so that the first launch does not: `cuGraphUpload`. A graph with device-updatable nodes
    /// is uploaded before its first launch, and after each update of such a node.
    ///
    /// # Errors
    /// [`Error::Graph`] where the stream belongs to another context, or the driver returns an error.
    pub fn upload(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        let upload = required!(self.api(), cuGraphUpload)?;
        self.bind(stream, explain::UPLOADED)?;
        // SAFETY: the graph and the stream are alive.
        match unsafe { upload(self.raw(), stream.cu_stream()) } {
            Status::SUCCESS => Ok(()),
            status => Err(explain::call(explain::UPLOADED, "cuGraphUpload", status)),
        }
    }

    /// Launches the graph: its nodes run after the work that is in the stream, and after the previous launch of this graph.
    ///
    /// # Errors
    /// [`Error::Graph`] where the stream belongs to another context or is being captured, or the driver returns an error.
    ///
    /// # Safety
    /// For each node that is enabled, with the arguments that it has now, until the launch is over:
    /// - every access of its kernel is to valid memory: pointers that the arguments do not own point at memory that stays
    ///   allocated, and the kernel stays within what the pointers point at;
    /// - no such access races with another use of the same memory, on another stream or by the host: cudarc's record of the
    ///   last use of a slice is neither waited for nor made.
    pub unsafe fn launch(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        let launch = required!(self.api(), cuGraphLaunch)?;
        self.bind(stream, explain::LAUNCHED)?;
        // SAFETY: the graph and the stream are alive; the caller vouches for the rest.
        let status = unsafe { launch(self.raw(), stream.cu_stream()) };
        if status != Status::SUCCESS {
            return Err(explain::call(explain::LAUNCHED, "cuGraphLaunch", status));
        }
        match &self.launched_on {
            Some(last) if Arc::ptr_eq(last, stream) => {}
            _ => self.launched_on = Some(stream.clone()),
        }
        Ok(())
    }

    /// The driver's handle of the instantiated graph, valid while this is alive.
    #[must_use]
    pub fn cu_graph_exec(&self) -> CUgraphExec {
        self.raw()
    }

    /// The driver's handle of the graph from which it was instantiated, valid while this is alive.
    #[must_use]
    pub fn cu_graph(&self) -> CUgraph {
        match &self.handles {
            Handles::Own { graph, .. } => graph.raw(),
            Handles::Cudarc(graph) => graph.cu_graph(),
        }
    }

    #[inline(always)]
    pub(super) fn raw(&self) -> CUgraphExec {
        self.exec
    }

    #[inline(always)]
    pub(super) fn api(&self) -> &'static Api {
        self.api
    }

    /// Whether a node with this kernel belongs to the graph.
    #[inline(always)]
    pub(super) fn has<A: KernelArgs>(&self, node: &Node<A>) -> bool {
        node.any.graph == self.id
            || self
                .listed
                .has_kernel(node.any.node, node.kernel.cu_function())
    }

    fn bind(&self, stream: &Arc<CudaStream>, action: &'static str) -> Result<(), Error> {
        if stream.context().cu_ctx() != self.context.cu_ctx() {
            return Err(explain::foreign_stream(action, &self.context, stream));
        }
        bind(self.api, &self.context)
    }

    /// Lets an owner go that an update of the node of `slot` has replaced, when the launches that may use it are over.
    #[cold]
    pub(super) fn let_go(&self, owner: Owner, slot: &Slot) {
        let Some(stream) = &self.launched_on else {
            // No launch has used it.
            return release(owner, self.context.clone(), None);
        };
        // An event that a capture has recorded is never complete.
        let settled =
            || is_capturing(self.api(), stream.cu_stream()).is_ok_and(|capturing| !capturing);
        // Launches of one graph run one after another, so when the last one is over, all are.
        if settled()
            && let Ok(event) = Event::record(self.api(), stream)
            && settled()
        {
            return release(owner, self.context.clone(), Some(event));
        }
        slot.keep(owner);
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        // Destroying a graph needs no context, but cudarc's part may release what does. An error has no receiver here.
        // SAFETY: the context is alive.
        unsafe { (self.api().cuCtxSetCurrent)(self.context.cu_ctx()) };
    }
}

/// Whether the stream is being captured.
fn is_capturing(api: &Api, stream: CUstream) -> Result<bool, Error> {
    let mut status = 0;
    // SAFETY: the stream is alive; `status` outlives the call.
    unsafe { (api.cuStreamIsCapturing)(stream, &raw mut status) }.check("cuStreamIsCapturing")?;
    Ok(status != 0)
}
