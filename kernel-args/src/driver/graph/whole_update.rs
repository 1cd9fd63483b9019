//! An instantiated graph that takes over the parameters of another graph.
//!
//! `cuStreamBeginRecaptureToGraph` (CUDA 13.3) is not used: it first releases what the graph retains, and leaves the
//! graph undefined if it fails.

use super::{Graph, GraphExec, contents::GraphContents, explain};
use crate::{
    driver::{context::make_current, error::Error},
    memory::ContextName,
};
use core::{error, fmt};
use std::sync::{Mutex, PoisonError};

/// Why [`GraphExec::update_graph`] did not update a graph, and the graph that does not fit.
///
/// `?` converts it to an [`Error`], and drops the graph.
pub struct GraphUpdateError {
    error: Error,
    /// A graph must not be used by two threads at the same time, and an error may be shared.
    graph: Box<Mutex<Graph>>,
}

impl GraphUpdateError {
    /// Returns the reason.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Returns the graph that does not fit, for example to instantiate it instead.
    #[must_use]
    pub fn into_graph(self) -> Graph {
        self.graph.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

display!(GraphUpdateError, |this, f| fmt::Display::fmt(&this.error, f));
debug_as_display!(GraphUpdateError);

impl error::Error for GraphUpdateError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        error::Error::source(&self.error)
    }
}

impl From<GraphUpdateError> for Error {
    fn from(refused: GraphUpdateError) -> Self {
        refused.error
    }
}

impl GraphExec {
    /// Gives this graph the kernels, arguments, copies and memsets of `graph`, for later launches: `cuGraphExecUpdate`.
    /// The nodes and dependencies must be the same. This is cheaper than a new instantiation.
    ///
    /// CUDA pairs the nodes of both graphs by the order in which they were added, so create both graphs with the same
    /// code. The nodes of this graph stay valid, for [`update`](Self::update) and [`set_enabled`](Self::set_enabled);
    /// the nodes of `graph` do not become nodes of this graph.
    ///
    /// This graph retains what `graph` retains, until another `update_graph` replaces it or this graph is dropped. The
    /// replaced arguments, and then these, are released when the launches that may use them have finished. What
    /// [`Graph::retain`] gave to the first graph is kept until this graph is dropped.
    /// [`graphs`](crate::guide::graphs#another-graph-of-the-same-nodes) has an example.
    ///
    /// # Errors
    /// [`Error::Graph`] if `graph` belongs to a different context, one of the graphs allocates memory or has
    /// conditional nodes, or the driver refuses the update. The reason names what differs, and the node if the driver
    /// reports it. After an error this graph is unchanged, and the error contains `graph`.
    pub fn update_graph(&mut self, graph: Graph) -> Result<(), GraphUpdateError> {
        if let Err(error) = self.updated(&graph) {
            return Err(GraphUpdateError { error, graph: Box::new(Mutex::new(graph)) });
        }
        let mut owners = self.contents.take_arguments();
        owners.extend(self.replacement.iter_mut().flat_map(GraphContents::take));
        self.release(owners);
        self.replacement = Some(graph.contents);
        Ok(())
    }

    fn updated(&self, graph: &Graph) -> Result<(), Error> {
        let action = explain::GRAPH_UPDATED;
        if graph.context.cu_ctx() != self.context.cu_ctx() {
            let [graph, new] = [&self.context, &graph.context].map(|context| ContextName::of(context));
            return Err(action.foreign_graph(graph, new));
        }
        if !self.contents.memory.is_empty() || !graph.contents.memory.is_empty() {
            return Err(action.graph_with_memory());
        }
        graph.place.check_filled(action)?;
        if self.driver.has_bodies() || graph.driver.has_bodies() {
            return Err(action.graph_with_conditions());
        }
        make_current(&self.context)?;
        let (new, old) = (graph.driver.as_ref(), self.driver.graph());
        let (outcome, result) = self.driver.update_whole(new);
        outcome.map_err(|error| explain::not_updated(error, &result, old, new))
    }
}
