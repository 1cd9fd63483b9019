//! Instantiated graphs.

use super::{
    Node, captures, explain,
    find::nodes_of,
    owner::Slot,
    release::{Owner, Released, release},
};
use crate::{
    driver::{
        api::{self, CallError, Event, Handle, api, out, required},
        context::{bind, bind_graph, named, restored_on_error},
        error::{ContextError, ContextMismatch, Error},
        module::Kernel,
    },
    marshal::{ContextName, KernelArgs},
};
use cudarc::driver::{
    CudaContext, CudaGraph, CudaStream,
    sys::{CUgraph, CUgraphExec},
};
use std::{boxed::Box, sync::Arc, vec::Vec};

/// An instantiated graph, which can be launched repeatedly, with new arguments for its nodes.
///
/// [`Graph`](super::Graph) documents what keeps the arguments' memory allocated. Each launch runs after the previous launch of the
/// same `GraphExec`, even on different streams. An update affects only later launches.
pub struct GraphExec {
    pub(super) driver: api::Exec,
    pub(super) context: Arc<CudaContext>,
    pub(super) last_launch: LastLaunch,
}

/// The last launch of an instantiated graph.
pub(super) enum LastLaunch {
    None,
    /// cudarc may have launched the graph, on a stream that it does not report.
    ByCudarc,
    On(Arc<CudaStream>),
}

impl GraphExec {
    pub(super) fn of(driver: api::Exec, context: Arc<CudaContext>) -> Self {
        Self {
            driver,
            context,
            last_launch: LastLaunch::None,
        }
    }

    /// A graph that cudarc has captured in `ctx` with `stream.end_capture(…)`.
    ///
    /// Two kinds of nodes can be updated: nodes of launches that were captured with [`launch!`](crate::launch!)'s
    /// `node`, and nodes from [`kernel_nodes`](Self::kernel_nodes).
    ///
    /// cudarc can have launched the graph before. It does not report on which stream, so the first update of a node cannot
    /// know when the arguments of the capture are no longer used: the graph retains them until an update after the next
    /// [`launch`](Self::launch), or until it is dropped.
    ///
    /// If a graph with nodes of this crate was destroyed while a launch of it was still running, drop its nodes or wait for the launch
    /// before the call: the driver can give its handles to another graph, and only a captured node of this crate in the other graph
    /// shows the difference.
    ///
    /// The graph is uploaded (`CudaGraph::upload`), because cudarc reports the context of a graph in no other way. No stream
    /// of this thread must be capturing.
    ///
    /// # Errors
    /// [`Error::Context`] if cudarc captured the graph in a different context; [`Error::Driver`] if the driver returns an
    /// error, also for an earlier call in this context.
    pub fn from_cudarc(ctx: &Arc<CudaContext>, graph: CudaGraph) -> Result<Self, Error> {
        restored_on_error(ctx, || {
            let captured_in = bind_graph(&graph)?;
            if captured_in != ctx.cu_ctx() {
                let contexts = ContextMismatch::new(named(captured_in), ContextName::of(ctx));
                return Err(Error::Context(ContextError::ForeignGraph(Box::new(
                    contexts,
                ))));
            }
            let id = captures::of(Handle::new(graph.cu_graph()));
            Ok(Self {
                driver: api::Exec::of_cudarc(api()?, graph, id)?,
                context: ctx.clone(),
                last_launch: LastLaunch::ByCudarc,
            })
        })
    }

    /// The nodes that launch `kernel`, each after its dependencies; independent nodes are in the order of the driver's
    /// list.
    ///
    /// A node from this method cannot retain arguments: see [`update_unretained`](Self::update_unretained). A node from
    /// [`Graph::kernel_nodes`](super::Graph::kernel_nodes) can.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn kernel_nodes<A: KernelArgs>(
        &mut self,
        kernel: &Kernel<A>,
    ) -> Result<Vec<Node<A>>, Error> {
        self.context.bind_to_thread().map_err(Error::context)?;
        nodes_of(self.driver.graph(), kernel)
    }

    /// Uploads the graph to the GPU before the first launch: `cuGraphUpload`. A graph with device-updatable nodes must
    /// be uploaded before its first launch, and after each update of such a node.
    ///
    /// # Errors
    /// [`Error::Graph`] if the stream belongs to a different context, or the driver returns an error.
    pub fn upload(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        required!(self.driver.api(), cuGraphUpload)?;
        self.bind(stream, explain::UPLOADED)?;
        let uploaded = self.driver.upload((&**stream).into());
        uploaded.map_err(|error| explain::call(explain::UPLOADED, error))
    }

    /// The driver's handle of the instantiated graph, which is valid while this is alive. An update does not know of launches
    /// through this handle: wait for them before an update releases arguments that they use.
    #[must_use]
    pub fn cu_graph_exec(&self) -> CUgraphExec {
        self.driver.raw()
    }

    /// The driver's handle of the graph from which it was instantiated, which is valid while this is alive.
    #[must_use]
    pub fn cu_graph(&self) -> CUgraph {
        self.driver.raw_graph()
    }

    pub(super) fn bind(&self, stream: &Arc<CudaStream>, action: &'static str) -> Result<(), Error> {
        if stream.context().cu_ctx() != self.context.cu_ctx() {
            return Err(explain::foreign_stream(action, &self.context, stream));
        }
        bind(self.driver.api(), &self.context)
    }

    /// Releases an owner that an update of the node of `slot` has replaced, after the launches that may use it have
    /// finished.
    #[cold]
    pub(super) fn release_after_launches(&self, owner: Owner, slot: &Slot) {
        let stream = match &self.last_launch {
            // No launch has used it.
            LastLaunch::None => return self.release(owner, Vec::new(), None),
            LastLaunch::ByCudarc => {
                // Only the arguments of the capture can be used by a launch of cudarc.
                if let Some(unused) = slot.keep_first(owner) {
                    self.release(unused, Vec::new(), None);
                }
                return;
            }
            LastLaunch::On(stream) => stream,
        };
        let api = self.driver.api();
        // An event that was recorded by a capture never completes.
        let settled = || is_capturing(stream).is_ok_and(|capturing| !capturing);
        // Launches of one graph run one after another (CUDA Driver API, `cuGraphLaunch`), so when the last launch has
        // finished, all have.
        if settled()
            && let Ok(event) = Event::record(api, stream)
            && settled()
        {
            return self.release(owner, slot.take_former(), Some(event));
        }
        slot.keep(owner);
    }

    fn release(&self, owner: Owner, former: Vec<Owner>, after: Option<Event>) {
        release(Released {
            after,
            context: self.context.clone(),
            former,
            owner,
        });
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        // Destroying a graph needs no context, but cudarc's graph may own objects that need one. `Drop` cannot report
        // an error, so it is discarded.
        let _ = self.driver.api().cuCtxSetCurrent((&*self.context).into());
    }
}

/// Whether the stream is being captured.
fn is_capturing(stream: &CudaStream) -> Result<bool, CallError> {
    let api = api()?;
    Ok(out(|status| api.cuStreamIsCapturing(stream.into(), status))? != 0)
}
