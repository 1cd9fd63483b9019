//! Captured launches and their nodes.

use super::{AnyNode, Node, captures, explain, owner::Slot};
use crate::{
    driver::{
        api::Promise,
        config::Launch,
        error::Error,
        function::{Arguments, Callee, Target, check_contracts},
        launch::{LaunchCall, foreign_in, foreign_stream},
        module::Kernel,
    },
    marshal::{ContextName, KernelArgs, LaunchStream},
};
use std::{boxed::Box, sync::Arc};

impl<A: KernelArgs> Kernel<A> {
    /// Returns the slot of the node, and the node or the error.
    #[expect(clippy::type_complexity, reason = "it has two callers")]
    pub(super) fn capture_with<B: KernelArgs<Erased = A::Erased>>(
        &self,
        mut launch: Launch<'_>,
        args: &mut B,
        promise: Promise<'_>,
    ) -> Result<(Arc<Slot>, Result<Node<A>, Error>), Error> {
        let function = self.function();
        let (api, name) = (function.api, || function.name.clone());
        let Some(stream) = launch.stream.filter(|_| launch.recording.is_none()) else {
            return Err(explain::not_capturing(Some(name()), explain::CAPTURED));
        };
        if stream.context().cu_ctx() != function.context.cu_ctx() {
            let kernel = ContextName::of(&function.context);
            return Err(foreign_stream(name(), kernel, stream));
        }
        check_contracts(args, &mut launch, Target::Launch, name)?;
        let launch = &launch;
        let fitting = self.fit(args);
        let lowered_on = LaunchStream::in_context(function.context.cu_ctx());
        fitting.args().report_contexts(&lowered_on);
        if let Some(field) = lowered_on.foreign() {
            let context = &function.context;
            return Err(foreign_in(name(), context, <B as Arguments>::name_of, field));
        }
        function.check(launch)?;
        function.context.bind_to_thread().map_err(Error::context)?;
        let Some(before) = api.capture_info(stream)? else {
            return Err(explain::not_capturing(Some(name()), explain::CAPTURED));
        };
        let Some(graph) = before.graph else {
            return Err(explain::broken_capture(Some(name()), explain::CAPTURED));
        };
        let kept = Box::new(self.keep_loaded());
        let own = captures::own(graph.id());
        let slot = if own.is_some() {
            Slot::new(kept)?
        } else {
            let slot = Slot::of_driver(graph, &function.context, kept)?;
            captures::add(graph, &slot);
            slot
        };
        let callee = Callee::Function(self.as_function());
        let call = LaunchCall { api, callee, launch: *launch, launch_stream: &lowered_on };
        let launched = call.run::<Node<A>, _>(fitting, promise, true);
        let node = launched.and_then(|()| {
            let after = api.capture_info(stream)?;
            let after = after.filter(|after| after.id == before.id);
            let found = after.and_then(|after| {
                let last = after.last.filter(|last| Some(*last) != before.last)?;
                Some((last, after.graph?.node(last)?))
            });
            let ambiguous = || explain::ambiguous_node(Some(name()), explain::NODE_FOUND);
            let (id, node) = found.ok_or_else(ambiguous)?;
            let kernel = node.kernel();
            let kernel = kernel.map_err(|error| explain::call(explain::FOUND, error))?;
            if kernel.map(|(launched, _)| launched.raw()) != Some(self.cu_function()) {
                return Err(ambiguous());
            }
            Ok(Node {
                kernel: self.clone(),
                any: AnyNode(id),
                shared: launch.shared,
                cluster: launch.attributes.and_then(|attributes| attributes.cluster),
                slot: Some(slot.clone()),
            })
        });
        if let Some(own) = own {
            own.add(node.as_ref().ok().map(|node| node.any.0), &slot);
        }
        Ok((slot, node))
    }
}
