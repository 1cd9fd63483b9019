//! Graphs that are captured from a stream.

use super::{
    Graph,
    captures::{self, CapturedSlots},
    contents::Contents,
    explain,
};
use crate::driver::{
    api::{Api, NotCaptured, api, required},
    error::{Error, OutsideOf},
    launch::within,
};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`.
const THREAD_LOCAL: u32 = 1;

impl Graph {
    /// Captures the work that `work` enqueues on `stream`, instead of running it, and returns it as a graph.
    ///
    /// In `work`, `launch!(kernel, grid, block, args, node, stream = &stream)` returns the [`Node`](super::Node) of the
    /// launch. Other work on the stream is captured too (`CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`); the caller must keep
    /// its memory allocated, for example with [`retain`](Self::retain).
    ///
    /// In `work`, a launch of this thread on a stream that is not being captured is [`LaunchError::Outside`](crate::error::LaunchError::Outside),
    /// for example one without `stream = …`: it would run now, before the graph. [`run_now`](crate::graph::run_now) allows it.
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
    /// The error of `work`; [`Error::Graph`] if the stream cannot be captured, or the capture was ended or invalidated.
    /// The stream is not capturing afterwards.
    pub fn capture<E: From<Error>>(stream: &Arc<CudaStream>, work: impl FnOnce() -> Result<(), E>) -> Result<Self, E> {
        let mut capture = Capture::begin(stream)?;
        // If `work` returns an error or panics, dropping the capture ends it.
        within(OutsideOf::Capture, work)?;
        Ok(capture.end()?)
    }
}

/// A capture in progress. Drop ends it.
struct Capture<'s> {
    api: &'static Api,
    stream: &'s Arc<CudaStream>,
    slots: Arc<CapturedSlots>,
    ended: bool,
}

impl<'s> Capture<'s> {
    fn begin(stream: &'s Arc<CudaStream>) -> Result<Self, Error> {
        let api = api()?;
        required!(api, cuStreamBeginCapture_v2)?;
        // Without this call the capture could not be ended.
        required!(api, cuStreamEndCapture)?;
        stream.context().bind_to_thread().map_err(Error::context)?;
        let begun = api.cuStreamBeginCapture_v2((&**stream).into(), THREAD_LOCAL);
        begun.map_err(|error| explain::call(explain::CAPTURE_BEGUN, error))?;
        let mut capture = Self { api, stream, slots: Arc::default(), ended: false };
        if let Some(graph) = api.capture_info(stream)?.and_then(|info| info.graph) {
            capture.slots = captures::begun(graph.id());
        }
        Ok(capture)
    }

    fn end(&mut self) -> Result<Graph, Error> {
        self.ended = true;
        match self.api.end_capture(self.stream) {
            Ok(driver) => {
                let mut graph = Graph::of(driver, self.stream.context().clone());
                graph.contents.captured(&self.slots);
                Ok(graph)
            }
            Err(NotCaptured::Ended(error)) => Err(explain::call(explain::CAPTURE_ENDED, error)),
            Err(NotCaptured::Nothing) => Err(explain::nothing_captured(None, explain::CAPTURE_ENDED)),
            Err(NotCaptured::Info(error)) => Err(error.into()),
        }
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // The error or panic of `work` takes precedence.
            self.api.abandon_capture(self.stream);
        }
        // What an error has left.
        Contents::new(self.stream.context()).captured(&self.slots);
    }
}
