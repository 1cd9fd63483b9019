//! The driver's handles of graphs, and what tells one graph from another.

use crate::driver::{
    api::{Api, Status, required},
    error::Error,
};
use core::sync::atomic::{AtomicU64, Ordering};
use cudarc::driver::sys::{CUgraph, CUgraphExec};

/// Which graph a node belongs to. The driver may use the address of a destroyed graph again; this is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum GraphId {
    /// A graph that was made or found by this crate.
    Made(u64),
    /// A captured graph, by the driver's number of the capture, which is unique in the process (CUDA Driver API,
    /// `cuStreamGetCaptureInfo`).
    Captured(u64),
}

impl GraphId {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Made(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A `CUgraph`, destroyed when this is dropped.
pub(super) struct GraphHandle {
    pub(super) api: &'static Api,
    graph: CUgraph,
}

// SAFETY: the driver's graphs may be used from any thread, by one at a time (CUDA Driver API, "Graph object thread safety").
// This owns the graph, is not `Sync`, and lends it to those who have it only.
unsafe impl Send for GraphHandle {}

impl GraphHandle {
    /// An empty graph.
    pub(super) fn new(api: &'static Api) -> Result<Self, Error> {
        let create = required!(api, cuGraphCreate)?;
        let mut graph = core::ptr::null_mut();
        // SAFETY: `graph` outlives the call.
        unsafe { create(&raw mut graph, 0) }.check("cuGraphCreate")?;
        Ok(Self { api, graph })
    }

    /// # Safety
    /// `graph` is a graph that nothing else destroys.
    pub(super) unsafe fn from_raw(api: &'static Api, graph: CUgraph) -> Self {
        Self { api, graph }
    }

    #[inline(always)]
    pub(super) fn raw(&self) -> CUgraph {
        self.graph
    }

    /// `cuGraphInstantiateWithFlags`.
    pub(super) fn instantiate(&self) -> Result<ExecHandle, (Status, Option<Error>)> {
        const FAILED: Status = Status(0);
        let instantiate = required!(self.api, cuGraphInstantiateWithFlags)
            .map_err(|missing| (FAILED, Some(missing.into())))?;
        let mut exec = core::ptr::null_mut();
        // SAFETY: `exec` outlives the call; the graph is alive.
        match unsafe { instantiate(&raw mut exec, self.graph, 0) } {
            Status::SUCCESS => Ok(ExecHandle {
                api: self.api,
                exec,
            }),
            status => Err((status, None)),
        }
    }
}

impl Drop for GraphHandle {
    fn drop(&mut self) {
        if let Some(destroy) = self.api.cuGraphDestroy {
            // An error has no receiver here.
            // SAFETY: the graph is this one's own.
            unsafe { destroy(self.graph) };
        }
    }
}

/// A `CUgraphExec`, destroyed when this is dropped: the driver frees it when its launches are over.
pub(super) struct ExecHandle {
    api: &'static Api,
    exec: CUgraphExec,
}

// SAFETY: as for `GraphHandle`.
unsafe impl Send for ExecHandle {}

impl ExecHandle {
    #[inline(always)]
    pub(super) fn raw(&self) -> CUgraphExec {
        self.exec
    }
}

impl Drop for ExecHandle {
    fn drop(&mut self) {
        if let Some(destroy) = self.api.cuGraphExecDestroy {
            // An error has no receiver here.
            // SAFETY: the handle is this one's own.
            unsafe { destroy(self.exec) };
        }
    }
}
