//! Graphs that are captured from a stream.

use super::{
    super::{
        api::{Api, Status, api, required},
        config::Launch,
        error::Error,
        explain::{foreign, foreign_stream},
        kernel::Kernel,
        launch_call::LaunchCall,
    },
    AnyNode, Graph, Node, explain,
    find::function_of,
    handle::{GraphHandle, GraphId},
    owner::Slot,
};
use crate::marshal::{ContextName, Foreign, KernelArgs, LaunchStream};
use core::{mem, ptr};
use cudarc::driver::{
    CudaStream,
    sys::{CUgraph, CUgraphNode, CUstream},
};
use std::{boxed::Box, sync::Arc};

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`.
const THREAD_LOCAL: u32 = 1;

/// `CUstreamCaptureStatus`.
const ACTIVE: u32 = 1;
const INVALIDATED: u32 = 2;

impl Graph {
    /// Captures what `work` enqueues on `stream`, instead of running it, and returns it as a graph.
    ///
    /// `launch!(kernel, grid, block, args, node, stream = &stream)` inside of it returns the [`Node`] of the launch. Other
    /// work on the stream is captured as well (`CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`); its memory is the caller's to keep
    /// allocated, with [`retain`](Self::retain) for example.
    ///
    /// ```no_run
    /// # use kernel_args::{DevicePointerMut, Error, Graph, Kernel, KernelArgs, launch};
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
            return Err(explain::nothing_captured());
        }
        // SAFETY: the graph is a new one, which belongs to the caller of `cuStreamEndCapture`.
        let handle = unsafe { GraphHandle::from_raw(self.api, graph) };
        let Some(info) = info? else {
            return Err(explain::nothing_captured());
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

/// What the driver tells of a stream that is being captured.
struct CaptureInfo {
    id: u64,
    graph: CUgraph,
    /// The node that the stream's next one depends on, where it is one.
    last: Option<CUgraphNode>,
}

/// `cuStreamGetCaptureInfo`: `None` where the stream is not capturing, an error where the capture is broken.
fn capture_info(api: &Api, stream: CUstream) -> Result<Option<CaptureInfo>, Error> {
    let (mut status, mut id, mut graph) = (0, 0, ptr::null_mut());
    let (mut nodes, mut count) = (ptr::null(), 0);
    let returned = if let Some(info) = api.cuStreamGetCaptureInfo_v3 {
        let mut edges = ptr::null();
        // SAFETY: the stream is alive, and all places outlive the call.
        let returned = unsafe {
            info(
                stream,
                &raw mut status,
                &raw mut id,
                &raw mut graph,
                &raw mut nodes,
                &raw mut edges,
                &raw mut count,
            )
        };
        returned.check("cuStreamGetCaptureInfo_v3")
    } else {
        let info = required!(api, cuStreamGetCaptureInfo_v2)?;
        // SAFETY: as above.
        let returned = unsafe {
            info(
                stream,
                &raw mut status,
                &raw mut id,
                &raw mut graph,
                &raw mut nodes,
                &raw mut count,
            )
        };
        returned.check("cuStreamGetCaptureInfo_v2")
    };
    returned?;
    if status == INVALIDATED {
        return Ok(Some(CaptureInfo {
            id,
            graph: ptr::null_mut(),
            last: None,
        }));
    }
    if status != ACTIVE {
        return Ok(None);
    }
    let last = (count == 1 && !nodes.is_null()).then(|| {
        // SAFETY: the driver's array of `count` nodes is valid until the next call for this stream.
        unsafe { nodes.read() }
    });
    Ok(Some(CaptureInfo { id, graph, last }))
}

impl<A: KernelArgs> Kernel<A> {
    /// Captures a launch on a stream that is being captured, and returns its node: what
    /// [`launch!`](crate::launch!) with `node` calls. The graph retains `args`.
    ///
    /// Slices among the arguments wait for their last use on the default stream of their context, and record this one there:
    /// a capture cannot contain that.
    ///
    /// # Errors
    /// As [`launch()`](crate::launch()), and [`Error::Graph`] where the stream is not being captured.
    ///
    /// # Safety
    /// At each launch of the graph that the capture becomes: as [`launch()`](crate::launch()). What `args` own is kept
    /// allocated by the graph.
    pub unsafe fn capture<B>(&self, launch: Launch<'_>, mut args: B) -> Result<Node<A>, Error>
    where
        B: KernelArgs<Erased = A::Erased> + Send + 'static,
    {
        // SAFETY: the caller's promise is the same one; the slot then keeps the arguments.
        let (slot, node) = unsafe { self.capture_with(&launch, &mut args) }?;
        if const { mem::needs_drop::<B>() } {
            // Where the launch has failed as well: it may have been captured all the same.
            slot.hold(Some(Box::new(args)));
        }
        node
    }

    /// Captures a launch as [`capture`](Self::capture), with arguments of any lifetime, which are not retained.
    ///
    /// # Errors
    /// As [`capture`](Self::capture).
    ///
    /// # Safety
    /// As [`capture`](Self::capture); and what `args` point at stays allocated until an update has replaced them or the graph
    /// is dropped, and all its launches are over.
    pub unsafe fn capture_unretained<B>(
        &self,
        launch: Launch<'_>,
        mut args: B,
    ) -> Result<Node<A>, Error>
    where
        B: KernelArgs<Erased = A::Erased>,
    {
        // SAFETY: the caller's promise is the same one.
        unsafe { self.capture_with(&launch, &mut args) }?.1
    }

    /// The slot of the node, and the node or why there is none.
    ///
    /// # Safety
    /// As [`capture_unretained`](Self::capture_unretained).
    #[expect(clippy::type_complexity, reason = "it has two callers")]
    unsafe fn capture_with<B: KernelArgs<Erased = A::Erased>>(
        &self,
        launch: &Launch<'_>,
        args: &mut B,
    ) -> Result<(Arc<Slot>, Result<Node<A>, Error>), Error> {
        let function = self.function();
        let (api, name) = (function.api, || function.name.clone());
        let Some(stream) = launch.stream else {
            return Err(explain::not_capturing(name(), false));
        };
        if stream.context().cu_ctx() != function.context.cu_ctx() {
            let kernel = ContextName::of(&function.context);
            return Err(foreign_stream(name(), kernel, stream));
        }
        let lowered_on = LaunchStream::in_context(function.context.cu_ctx());
        args.check_contexts(&lowered_on);
        if let Some(field) = lowered_on.foreign() {
            let launch = ContextName::of(&function.context);
            return Err(foreign::<B>(name(), Foreign { launch, ..field }));
        }
        function.check(launch)?;
        function.context.bind_to_thread().map_err(Error::context)?;
        let before = match capture_info(api, stream.cu_stream())? {
            Some(info) if !info.graph.is_null() => info,
            info => return Err(explain::not_capturing(name(), info.is_some())),
        };
        // SAFETY: the graph is alive while it is captured, and may be changed (`cuStreamGetCaptureInfo`).
        let slot =
            unsafe { Slot::retained_by(api, before.graph, &function.context, self.keep_loaded()) }?;
        let call = LaunchCall {
            api,
            function: function.handle(),
            stream: stream.cu_stream(),
            launch,
            launch_stream: &lowered_on,
            attribute_limits: Some(&function.attribute_limits),
            name,
        };
        // SAFETY: the handle was verified for `A`, whose erased form `B` shares; the caller vouches for the rest.
        let launched = unsafe { call.with(args) };
        let node = launched.and_then(|()| {
            let after = capture_info(api, stream.cu_stream())?;
            let node = after
                .filter(|after| after.id == before.id)
                .and_then(|after| after.last)
                .filter(|node| Some(*node) != before.last);
            let Some(node) = node else {
                return Err(explain::ambiguous_node(name()));
            };
            // SAFETY: a node of the graph that is being captured.
            if unsafe { function_of(api, node) }? != Some(function.handle()) {
                return Err(explain::ambiguous_node(name()));
            }
            Ok(Node {
                kernel: self.clone(),
                any: AnyNode {
                    node,
                    graph: GraphId::Captured(before.id),
                },
                shared: launch.shared,
                slot: Some(slot.clone()),
            })
        });
        Ok((slot, node))
    }
}
