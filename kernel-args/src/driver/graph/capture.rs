//! Graphs that are captured from a stream.

use super::{Graph, explain};
use crate::driver::{
    api::{Api, NotCaptured, api, required},
    error::Error,
};
use cudarc::driver::CudaStream;
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
        required!(api, cuStreamBeginCapture_v2)?;
        // Without it the capture could not be ended.
        required!(api, cuStreamEndCapture)?;
        stream.context().bind_to_thread().map_err(Error::context)?;
        let begun = api.cuStreamBeginCapture_v2((&**stream).into(), THREAD_LOCAL);
        begun.map_err(|error| explain::call(explain::CAPTURE_BEGUN, error))?;
        Ok(Self {
            api,
            stream,
            ended: false,
        })
    }

    fn end(&mut self) -> Result<Graph, Error> {
        self.ended = true;
        match self.api.end_capture(self.stream) {
            Ok(driver) => Ok(Graph {
                driver,
                context: self.stream.context().clone(),
            }),
            Err(NotCaptured::Ended(error)) => Err(explain::call(explain::CAPTURE_ENDED, error)),
            Err(NotCaptured::Nothing) => {
                Err(explain::nothing_captured(None, explain::CAPTURE_ENDED))
            }
            Err(NotCaptured::Asked(error)) => Err(error.into()),
        }
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // The error or the panic of `work` is the one to report.
            self.api.abandon_capture(self.stream);
        }
    }
}
