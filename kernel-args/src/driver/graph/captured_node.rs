//! Launches that are captured, and their nodes.

use super::{
    AnyNode, Node, capture_info::capture_info, explain, find::function_of, handle::GraphId,
    owner::Slot,
};
use crate::{
    driver::{
        config::Launch,
        error::Error,
        launch::{LaunchCall, foreign_in, foreign_stream},
        module::Kernel,
    },
    marshal::{ContextName, KernelArgs, LaunchStream},
};
use core::mem;
use std::{boxed::Box, sync::Arc};

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
            return Err(explain::not_capturing(Some(name()), explain::CAPTURED));
        };
        if stream.context().cu_ctx() != function.context.cu_ctx() {
            let kernel = ContextName::of(&function.context);
            return Err(foreign_stream(name(), kernel, stream));
        }
        let lowered_on = LaunchStream::in_context(function.context.cu_ctx());
        args.check_contexts(&lowered_on);
        if let Some(field) = lowered_on.foreign() {
            return Err(foreign_in::<B>(name(), &function.context, field));
        }
        function.check(launch)?;
        function.context.bind_to_thread().map_err(Error::context)?;
        let before = match capture_info(api, stream.cu_stream())? {
            Some(info) if !info.graph.is_null() => info,
            Some(_) => return Err(explain::broken_capture(Some(name()), explain::CAPTURED)),
            None => return Err(explain::not_capturing(Some(name()), explain::CAPTURED)),
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
                return Err(explain::ambiguous_node(Some(name()), explain::NODE_FOUND));
            };
            // SAFETY: a node of the graph that is being captured.
            if unsafe { function_of(api, node) }? != Some(function.handle()) {
                return Err(explain::ambiguous_node(Some(name()), explain::NODE_FOUND));
            }
            Ok(Node {
                kernel: self.clone(),
                any: AnyNode {
                    node,
                    graph: GraphId::Captured(before.id),
                },
                shared: launch.shared,
                cluster: launch.attributes.and_then(|attributes| attributes.cluster),
                slot: Some(slot.clone()),
            })
        });
        Ok((slot, node))
    }
}
