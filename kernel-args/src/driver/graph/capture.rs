//! Graphs that are captured from a stream, and the nodes of their launches.

use super::{
    AnyNode, Graph, Node,
    contents::{GraphContents, new_slot},
    explain,
    release::Capturing,
};
use crate::{
    driver::{
        api::{self, Api, CallError, Promise, api, required},
        config::Launch,
        context::{bind, make_current},
        error::{Error, OutsideOf},
        function::Callee,
        launch::{
            CapturedSlots, Checked, FunctionDoor, InGraph, Keeper, NodeSlot, RegisteredCapture, add_slot, prepare,
            set_node, within,
        },
        module::Kernel,
    },
    marshal::KernelArgs,
};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`.
const THREAD_LOCAL: u32 = 1;

impl Graph {
    /// Captures what `work` enqueues on `stream`, instead of running it, and returns it as a graph.
    ///
    /// In `work`, `launch!(kernel, grid, block, args, node, stream = &stream)` returns the [`Node`](super::Node) of the
    /// launch. Other work on the stream is captured too (`CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`); the caller must keep
    /// its memory allocated, for example with [`retain`](Self::retain). A launch of this crate without `node`, on any
    /// thread, whose arguments have memory of a slice, is [`LaunchError::NotKept`](crate::error::LaunchError::NotKept):
    /// [`capture_unretained`](Self::capture_unretained) allows it. A type of your own reports its memory with
    /// [`KernelArg::check_context`](crate::KernelArg::check_context).
    ///
    /// A launch of this thread on a stream that is not being captured, for example one without `stream = …`, would run
    /// now, before the graph: it is [`RunError::Outside`](crate::error::RunError::Outside).
    /// [`run_now`](crate::graph::run_now) allows it.
    ///
    /// ```no_run
    /// # use kernel_args::{DevicePointerMut, Error, Kernel, KernelArgs, launch, graph::Graph};
    /// # #[derive(KernelArgs)]
    /// # struct Fill { value: f32, n: u32 }
    /// # let ctx = kernel_args::context(0)?;
    /// # let fill = Kernel::<Fill>::from_image(&ctx, "", "fill")?;
    /// let stream = ctx.new_stream()?;
    /// let mut node = None;
    /// let graph = Graph::capture(&stream, || {
    ///     // SAFETY: the kernel accesses no memory.
    ///     node = Some(unsafe { launch!(fill, 4, 256, Fill { value: 1.0, n: 7 }, node, stream = &stream)? });
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), kernel_args::Error>(())
    /// ```
    ///
    /// # Errors
    /// The error of `work`; [`Error::Graph`] if the stream cannot be captured, or the capture was ended or invalidated.
    /// The stream is not capturing afterwards.
    pub fn capture<E: From<Error>>(stream: &Arc<CudaStream>, work: impl FnOnce() -> Result<(), E>) -> Result<Self, E> {
        Self::capture_for(Keeper::Graph, stream, work)
    }

    /// [`capture`](Self::capture) of launches whose memory the caller keeps allocated: without `node`, with arguments
    /// that borrow slices.
    ///
    /// While cudarc tracks slices with events, a launch that waits for one is an error: a capture cannot wait for work
    /// outside of it.
    ///
    /// # Errors
    /// As for [`capture`](Self::capture).
    ///
    /// # Safety
    /// The memory that the captured launches use stays allocated until the graph and all graphs that are instantiated
    /// from it are dropped, and their launches have finished.
    pub unsafe fn capture_unretained<E: From<Error>>(
        stream: &Arc<CudaStream>,
        work: impl FnOnce() -> Result<(), E>,
    ) -> Result<Self, E> {
        Self::capture_for(Keeper::Caller, stream, work)
    }

    fn capture_for<E: From<Error>>(
        keeper: Keeper,
        stream: &Arc<CudaStream>,
        work: impl FnOnce() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut capture = Capture::begin(stream, Some(keeper), |api| {
            explain::CAPTURE_BEGUN.check(api.cuStreamBeginCapture_v2((&**stream).into(), THREAD_LOCAL))
        })?;
        // If `work` returns an error or panics, dropping the capture ends it.
        within(OutsideOf::Capture, work)?;
        let captured = explain::CAPTURE_ENDED.check(capture.end())?;
        let driver = captured.ok_or_else(|| explain::CAPTURE_ENDED.nothing_captured())?;
        let mut graph = Graph::of(driver, stream.context().clone());
        graph.contents.captured(capture.slots());
        Ok(graph)
    }
}

/// A capture in progress. Drop ends it.
pub(crate) struct Capture<'s> {
    api: &'static Api,
    stream: &'s Arc<CudaStream>,
    is_over: bool,
    /// The drops of both are after the end of the capture.
    registered: Option<RegisteredCapture>,
    _capturing: Option<Capturing>,
}

impl<'s> Capture<'s> {
    /// `begin` begins it. Without a keeper, launches of the capture are not checked, and have no nodes of their own.
    pub(crate) fn begin(
        stream: &'s Arc<CudaStream>,
        keeper: Option<Keeper>,
        begin: impl FnOnce(&Api) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let api = api()?;
        required!(api, cuStreamEndCapture)?;
        make_current(stream.context())?;
        let capturing = Capturing::begin();
        let registered = match keeper {
            None => {
                begin(api)?;
                None
            }
            Some(keeper) => Some(RegisteredCapture::begin(keeper, || {
                begin(api)?;
                let info = api.capture_info(stream).inspect_err(|_| api.abandon_capture(stream))?;
                Ok(info.map(|info| info.id))
            })?),
        };
        Ok(Self { api, stream, is_over: false, registered, _capturing: capturing })
    }

    /// `None` if the capture has ended before.
    pub(crate) fn end(&mut self) -> Result<Option<api::Graph>, CallError> {
        self.is_over = true;
        self.api.end_capture(self.stream)
    }

    fn slots(&mut self) -> CapturedSlots {
        self.registered.as_mut().map(RegisteredCapture::end).unwrap_or_default()
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            // The error or panic of `work` takes precedence, also over what cudarc has stored.
            self.api.abandon_capture(self.stream);
            let _ = self.stream.context().check_err();
        }
        GraphContents::new(self.stream.context()).captured(self.slots());
    }
}

impl<A: KernelArgs> Kernel<A> {
    /// Returns the slot of the node, and the node or the error.
    #[expect(clippy::type_complexity, reason = "it has two callers")]
    pub(super) fn capture_with<B: KernelArgs<Erased = A::Erased>>(
        &self,
        launch: Launch<'_>,
        args: &mut B,
        promise: Promise<'_>,
    ) -> Result<(Arc<NodeSlot>, Result<Node<A>, Error>), Error> {
        let function = self.function();
        let (api, name) = (function.api, || function.name.clone());
        let not_capturing = || explain::CAPTURED.not_capturing(name());
        let stream = launch.stream.filter(|_| launch.recording.is_none()).ok_or_else(not_capturing)?;
        bind(api, stream.context())?;
        let before = api.capture_info(stream)?.ok_or_else(not_capturing)?;
        if before.graph.is_none() {
            return Err(explain::CAPTURED.broken_capture(name()));
        }
        let mut begun = None;
        let fit = |args, checked: &Checked<'_, '_>| {
            let slot = new_slot(self.keep_loaded())?;
            if !add_slot(before.id, &slot) {
                return Err(explain::CAPTURED.foreign_capture(name()).into());
            }
            begun = Some((slot, checked.shared));
            Ok(self.fit(args))
        };
        let callee = Callee::Function(self.as_function());
        let launched = FunctionDoor::<_, _, InGraph>::new(callee, launch, args, fit, promise)
            .and_then(prepare)
            .map_err(|error| *error);
        let Some((slot, shared)) = begun else {
            // It gets a slot before the driver is called.
            return launched.and(Err(explain::NODE_FOUND.ambiguous_node(name())));
        };
        let node = launched.and_then(|()| {
            let found = api.capture_info(stream)?.filter(|after| after.id == before.id).and_then(|after| {
                let last = after.last.filter(|last| Some(*last) != before.last)?;
                Some((last, after.graph?.node(last)?))
            });
            let ambiguous = || explain::NODE_FOUND.ambiguous_node(name());
            let (id, node) = found.ok_or_else(ambiguous)?;
            if !explain::FOUND.check(node.launch())?.is_some_and(|launch| launch.is_of(self.cu_function())) {
                return Err(ambiguous());
            }
            set_node(before.id, &slot, id);
            Ok(Node {
                kernel: self.clone(),
                any: AnyNode(id),
                shared,
                cluster: launch.attributes.and_then(|attributes| attributes.cluster),
                slot: Some(slot.clone()),
            })
        });
        Ok((slot, node))
    }
}
