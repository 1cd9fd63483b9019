//! Graphs that are captured from a stream.

use super::{
    Graph,
    capture_info::capture_info,
    explain,
    handle::{GraphHandle, GraphId},
};
use crate::driver::{
    api::{Api, Status, api, required},
    error::Error,
};
use core::ptr;
use cudarc::driver::{CudaStream, sys::CUgraph};
use std::sync::Arc;

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`.
const THREAD_LOCAL: u32 = 1;

impl Graph {
    /// Captures what `work` enqueues on `stream`, instead of running it, and returns it as a graph.
    ///
    /// `launch!(kernel, grid, block, args, node, stream = &stream)` inside of it returns the [`Node`](super::Node) of the launch. Other
    /// work on the stream is captured as well (`CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`); its memory is the caller's to keep
    /// allocated, with [`retain`](Self::retain) for example.
    ///
    /// ```no_run
    /// # use kernel_args::{DevicePointerMut, Error, Kernel, KernelArgs, launch, graph::Graph};
    /// # #[derive(KernelArgs)]
    /// # struct Fill { value: f32, n: u32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let ctx = kernel_args::context(0)?;
    /// # let fill = Kernel::<Fill>::from_image(&ctx, "", "fill")?;
    /// let stream = ctx.new_stream()?;
    /// let mut node = None;
    /// let graph = Graph::capture(&stream, || {
    ///     // SAFETY: the kernel accesses no memory.
    ///     node = Some(unsafe { launch!(fill, 4, 256, Fill { value: 1.0, n: 7 }, node, stream = &stream)? });
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What `work` returned; [`Error::Graph`] where the stream cannot be captured, or something has ended the capture. The
    /// stream is not capturing afterwards.
    pub fn capture<E: From<Error>>(
        stream: &Arc<CudaStream>,
        work: impl FnOnce() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut capture = Capture::begin(stream)?;
        // Where it returns an error or panics, dropping the capture ends it.
        work()?;
        Ok(capture.end()?)
    }
}

/// A capture in progress, which is ended when this is dropped.
struct Capture<'s> {
    api: &'static Api,
    stream: &'s Arc<CudaStream>,
    ended: bool,
}

impl<'s> Capture<'s> {
    fn begin(stream: &'s Arc<CudaStream>) -> Result<Self, Error> {
        let api = api()?;
        let begin = required!(api, cuStreamBeginCapture_v2)?;
        // Without it the capture could not be ended.
        required!(api, cuStreamEndCapture)?;
        stream.context().bind_to_thread().map_err(Error::context)?;
        // SAFETY: the stream is alive.
        match unsafe { begin(stream.cu_stream(), THREAD_LOCAL) } {
            Status::SUCCESS => Ok(Self {
                api,
                stream,
                ended: false,
            }),
            status => Err(explain::call(
                explain::CAPTURE_BEGUN,
                "cuStreamBeginCapture_v2",
                status,
            )),
        }
    }

    fn end(&mut self) -> Result<Graph, Error> {
        let context = self.stream.context();
        let info = capture_info(self.api, self.stream.cu_stream());
        self.ended = true;
        // Before any other error is returned: else the stream would stay capturing.
        let (graph, status) = self.end_now();
        if status != Status::SUCCESS {
            self.abandon();
            return Err(explain::call(
                explain::CAPTURE_ENDED,
                "cuStreamEndCapture",
                status,
            ));
        }
        if graph.is_null() {
            return Err(explain::nothing_captured(None, explain::CAPTURE_ENDED));
        }
        // SAFETY: the graph is a new one, which belongs to the caller of `cuStreamEndCapture`.
        let handle = unsafe { GraphHandle::from_raw(self.api, graph) };
        let Some(info) = info? else {
            return Err(explain::nothing_captured(None, explain::CAPTURE_ENDED));
        };
        Ok(Graph {
            handle,
            id: GraphId::Captured(info.id),
            context: context.clone(),
        })
    }

    /// Ends the capture, if it is in progress, and destroys its graph.
    fn abandon(&self) {
        let (graph, _) = self.end_now();
        if !graph.is_null() {
            // SAFETY: as in `end`.
            drop(unsafe { GraphHandle::from_raw(self.api, graph) });
        }
    }

    fn end_now(&self) -> (CUgraph, Status) {
        let mut graph = ptr::null_mut();
        let Some(end) = self.api.cuStreamEndCapture else {
            return (graph, Status::SUCCESS);
        };
        // `work` may have made another context current. An error of this call makes the next one fail.
        // SAFETY: the context is alive.
        unsafe { (self.api.cuCtxSetCurrent)(self.stream.context().cu_ctx()) };
        // SAFETY: the stream is alive; `graph` outlives the call.
        let status = unsafe { end(self.stream.cu_stream(), &raw mut graph) };
        (graph, status)
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // The error or the panic of `work` is the one to report.
            self.abandon();
        }
    }
}
