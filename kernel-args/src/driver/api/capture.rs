//! Captures of streams, and the memory steps of sequences.

use super::{
    Api, CallError, Graph, MemoryStep, StreamHandle,
    graph_nodes::GraphRef,
    handle::{Alive, Owned},
    launch::MemoryOperation,
    node_id::{GraphId, NodeId},
};
use core::ptr;
use cudarc::driver::{CudaStream, sys::CUgraph_st};

impl MemoryStep<'_> {
    /// `cuMemsetD8Async` or `cuMemcpyDtoDAsync_v2`.
    ///
    /// Each range of a step is a `HeldMemory`, or the beginning of one: only `LaunchLog::push_memset` and `push_copy` record such steps. Its
    /// address and size were read together, and are within the memory of a held slice with the same type of elements. When the closure has
    /// returned, `Slices::enter` has found this memory in a slice of this type at a held place, or the run is an error before its steps
    /// are enqueued. That slice is borrowed until then. Later it is freed in the order of streams: its guard records the run as its use.
    pub(crate) fn enqueue(&self, api: &Api, stream: StreamHandle<'_>) -> Result<(), CallError> {
        let (to, width, stream) = (self.to, self.width, stream.raw());
        match self.operation {
            MemoryOperation::Set(byte) => {
                // SAFETY: `cuMemsetD8Async`: the `width` bytes are allocated, as proved above. The
                // program has borrowed them exclusively, and zeros are values of their type: `Recorder::memset_zeros` requires both.
                unsafe { api.cuMemsetD8Async(to, byte, width, stream) }
            }
            MemoryOperation::CopyFrom(from) => {
                // SAFETY: `cuMemcpyDtoDAsync`: both times, the `width` bytes are allocated, as
                // proved above. They do not overlap and have the same type: `Recorder::memcpy_dtod` requires two slices of one type, of
                // which the destination is borrowed exclusively.
                unsafe { api.cuMemcpyDtoDAsync_v2(to, from, width, stream) }
            }
        }
    }
}

pub(crate) struct CaptureInfo<'s> {
    pub(crate) id: GraphId,
    /// The graph of the capture; `None` if the capture has been invalidated.
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
            // SAFETY: `cuStreamGetCaptureInfo`: the driver's array has `count`
            // nodes, and is valid until the next call for this stream.
            let node = unsafe { nodes.read() };
            // SAFETY: the node belongs to the graph of this capture.
            unsafe { NodeId::new(node, id) }
        });
        let graph = (!graph.is_null()).then(|| {
            // SAFETY: `cuStreamGetCaptureInfo` lends the graph while the stream is being captured. It allows all uses
            // except destroying the graph and removing nodes. Only one thread may use a captured stream, and this crate
            // calls this function between two calls of that thread.
            let graph = unsafe { Alive::new(graph) };
            GraphRef { api: self, graph, id, remaining: None }
        });
        Ok(Some(CaptureInfo { id, graph, last }))
    }

    /// Returns the graph, if the driver returns one, and the result of `cuStreamEndCapture`. Makes the stream's context current.
    fn end_capture_now(&'static self, stream: &CudaStream) -> (Option<Owned<CUgraph_st>>, Result<(), CallError>) {
        // A different context can be current. If this call fails, the next call fails too.
        let _ = self.cuCtxSetCurrent((&**stream.context()).into());
        let mut graph = ptr::null_mut();
        let ended = self.cuStreamEndCapture(stream.into(), &mut graph);
        let graph = (!graph.is_null()).then(|| {
            // SAFETY: `cuStreamEndCapture` transfers the graph to its caller.
            unsafe { Owned::new(self, graph) }
        });
        (graph, ended)
    }

    /// Ends a capture and returns its graph; `None` if the driver returns no graph, or the stream was not capturing.
    pub(crate) fn end_capture(&'static self, stream: &CudaStream) -> Result<Option<Graph>, CallError> {
        let info = self.capture_info(stream).map(|info| info.map(|info| info.id));
        // The capture ends before any error is returned: otherwise the stream would stay in capture mode.
        let (graph, ended) = self.end_capture_now(stream);
        if let Err(error) = ended {
            drop(graph);
            self.abandon_capture(stream);
            return Err(error);
        }
        // SAFETY: this is the id of the capture that has just ended.
        Ok(graph.zip(info?).map(|(graph, id)| unsafe { Graph::of(graph, id, false) }))
    }

    /// Ends a capture, if the stream is being captured, and destroys its graph.
    pub(crate) fn abandon_capture(&'static self, stream: &CudaStream) {
        drop(self.end_capture_now(stream));
    }
}
