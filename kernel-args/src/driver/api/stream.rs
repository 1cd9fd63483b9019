//! Events, and captures of streams.

use super::{
    Api, CallError, Graph, Status,
    entry_points::required,
    graph::{GraphId, GraphRef, NodeId},
    handle::{Alive, Destroyed, Owned},
};
use core::ptr;
use cudarc::driver::{
    CudaStream,
    sys::{CUevent_st, CUgraph_st},
};

impl Destroyed for CUevent_st {
    type Sharing = ();

    fn destroy(api: &Api) -> Option<unsafe extern "C" fn(*mut Self) -> Status> {
        api.cuEventDestroy_v2
    }
}

/// An event that is complete when a stream has done what was enqueued on it before.
pub(crate) struct Event(Owned<CUevent_st>);

impl Event {
    /// Records a new event on `stream`, whose context is made current.
    pub(crate) fn record(api: &'static Api, stream: &CudaStream) -> Result<Self, CallError> {
        const DISABLE_TIMING: u32 = 2;
        required!(api, cuEventCreate)?;
        required!(api, cuEventRecord)?;
        // Without them the event could not be used.
        required!(api, cuEventSynchronize)?;
        required!(api, cuEventDestroy_v2)?;
        api.cuCtxSetCurrent((&**stream.context()).into())?;
        let mut event = ptr::null_mut();
        api.cuEventCreate(&mut event, DISABLE_TIMING)?;
        // SAFETY: the call has made the event for this one alone.
        let event = Self(unsafe { Owned::new(api, event) });
        api.cuEventRecord(event.0.alive(), stream.into())?;
        Ok(event)
    }

    /// Waits until it is complete; returns whether it is.
    pub(crate) fn wait(&self) -> bool {
        self.0.api.cuEventSynchronize(self.0.alive()).is_ok()
    }
}

/// What the driver tells of a stream that is being captured.
pub(crate) struct CaptureInfo<'s> {
    /// The driver's number of the capture.
    pub(crate) id: u64,
    /// The graph that the capture becomes; `None` where something has broken the capture.
    pub(crate) graph: Option<GraphRef<'s>>,
    /// The node that the stream's next one depends on, where it is one.
    pub(crate) last: Option<NodeId>,
}

/// Why a capture has become no graph.
pub(crate) enum NotCaptured {
    /// What the call that ends it has returned.
    Ended(CallError),
    /// The driver returned no graph, or the stream was not capturing.
    Nothing,
    /// What the question about the capture has returned.
    Asked(CallError),
}

impl Api {
    /// `cuStreamGetCaptureInfo`: `None` where the stream is not capturing.
    pub(crate) fn capture_info<'s>(
        &'static self,
        stream: &'s CudaStream,
    ) -> Result<Option<CaptureInfo<'s>>, CallError> {
        /// `CUstreamCaptureStatus`.
        const ACTIVE: u32 = 1;
        const INVALIDATED: u32 = 2;
        let (mut status, mut id, mut graph) = (0, 0, ptr::null_mut());
        let (mut nodes, mut count) = (ptr::null(), 0);
        let handle = stream.into();
        if self.cuStreamGetCaptureInfo_v3.is_some() {
            self.cuStreamGetCaptureInfo_v3(
                handle,
                &mut status,
                &mut id,
                &mut graph,
                &mut nodes,
                &mut ptr::null(),
                &mut count,
            )
        } else {
            self.cuStreamGetCaptureInfo_v2(
                handle,
                &mut status,
                &mut id,
                &mut graph,
                &mut nodes,
                &mut count,
            )
        }?;
        match status {
            ACTIVE => {}
            INVALIDATED => {
                return Ok(Some(CaptureInfo {
                    id,
                    graph: None,
                    last: None,
                }));
            }
            _ => return Ok(None),
        }
        let captured = GraphId::captured(id);
        let last = (count == 1 && !nodes.is_null()).then(|| {
            // SAFETY: CUDA Driver API, "Stream Management", `cuStreamGetCaptureInfo`: the driver's array has `count` nodes, and is valid until
            // the next call for this stream.
            let node = unsafe { nodes.read() };
            // SAFETY: it is a node of the graph that the capture becomes.
            unsafe { NodeId::new(node, captured) }
        });
        let graph = (!graph.is_null()).then(|| {
            // SAFETY: `cuStreamGetCaptureInfo` lends the graph while the stream is being captured, for all but to destroy it and to remove
            // nodes from it. Only one thread may use a captured stream, and this crate asks for it between two calls of that thread.
            let graph = unsafe { Alive::new(graph) };
            // SAFETY: it is the graph that the capture of this number becomes.
            unsafe { GraphRef::new(self, graph, captured) }
        });
        Ok(Some(CaptureInfo { id, graph, last }))
    }

    /// Ends a capture: the graph, if there is one, and what `cuStreamEndCapture` has returned. The stream's context is made current.
    fn end_capture_now(
        &'static self,
        stream: &CudaStream,
    ) -> (Option<Owned<CUgraph_st>>, Result<(), CallError>) {
        // Another context may have been made current. An error of this call makes the next one fail.
        let _ = self.cuCtxSetCurrent((&**stream.context()).into());
        let mut graph = ptr::null_mut();
        let ended = self.cuStreamEndCapture(stream.into(), &mut graph);
        let graph = (!graph.is_null()).then(|| {
            // SAFETY: `cuStreamEndCapture` gives the graph to its caller.
            unsafe { Owned::new(self, graph) }
        });
        (graph, ended)
    }

    /// Ends a capture and returns its graph. Where the driver does not end it, it is abandoned.
    pub(crate) fn end_capture(&'static self, stream: &CudaStream) -> Result<Graph, NotCaptured> {
        let info = self
            .capture_info(stream)
            .map(|info| info.map(|info| info.id));
        // Before any other error is returned: else the stream would stay capturing.
        let (graph, ended) = self.end_capture_now(stream);
        if let Err(error) = ended {
            drop(graph);
            self.abandon_capture(stream);
            return Err(NotCaptured::Ended(error));
        }
        let graph = graph.ok_or(NotCaptured::Nothing)?;
        match info {
            // SAFETY: the number is that of the capture that has just ended.
            Ok(Some(id)) => Ok(unsafe { Graph::of_capture(graph, GraphId::captured(id)) }),
            Ok(None) => Err(NotCaptured::Nothing),
            Err(error) => Err(NotCaptured::Asked(error)),
        }
    }

    /// Ends a capture, if the stream is being captured, and destroys its graph.
    pub(crate) fn abandon_capture(&'static self, stream: &CudaStream) {
        drop(self.end_capture_now(stream));
    }
}
