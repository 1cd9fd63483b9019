//! Nodes that record an event or wait for one.

use super::{AnyNode, Dependencies, Graph, explain};
use crate::driver::{
    api::{After, CallError, NodeId},
    error::Error,
};
use cudarc::driver::CudaEvent;
use std::sync::Arc;

impl Graph {
    /// Adds a node that records `event` after the nodes `after` have finished, at each launch. The graph retains the
    /// event.
    ///
    /// Other streams and the host can wait for the event, and it can record times.
    ///
    /// ```no_run
    /// # use kernel_args::graph::Graph;
    /// # use std::sync::Arc;
    /// # let ctx = kernel_args::context(0)?;
    /// # let (mut graph, other) = (Graph::new(&ctx)?, ctx.new_stream()?);
    /// let event = Arc::new(ctx.new_event(None)?);
    /// graph.add_event_record(&event, &[])?;
    /// // After a launch of the graph:
    /// other.wait(&event)?;
    /// # Ok::<(), kernel_args::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Graph`] if the event belongs to a different context, one of `after` to a different graph, or the driver
    /// returns an error.
    pub fn add_event_record(&mut self, event: &Arc<CudaEvent>, after: impl Dependencies) -> Result<AnyNode, Error> {
        const HELP: &str = "record an event that was created with the graph's context";
        explain::ADDED.check_context(&self.context, "event", event.context(), HELP)?;
        self.add_event(event, after, |after| after.add_event_record((&**event).into()))
    }

    /// Adds a node that waits for `event` after the nodes `after` have finished, at each launch. The graph retains the
    /// event.
    ///
    /// A launch waits for the work that was last recorded before it, outside of the graph or by a node before this
    /// node, and not for an event that was never recorded. The event can belong to a different context, also of a
    /// different GPU.
    ///
    /// # Errors
    /// As for [`add_join`](Self::add_join).
    pub fn add_event_wait(&mut self, event: &Arc<CudaEvent>, after: impl Dependencies) -> Result<AnyNode, Error> {
        self.add_event(event, after, |after| after.add_event_wait((&**event).into()))
    }

    fn add_event(
        &mut self,
        event: &Arc<CudaEvent>,
        after: impl Dependencies,
        add: impl FnOnce(After<'_>) -> Result<NodeId, CallError>,
    ) -> Result<AnyNode, Error> {
        let node = self.add_kept(after, Some(Box::new(event.clone())), add)?;
        self.place.not_in_bodies.get_or_insert("an event");
        Ok(node)
    }
}
