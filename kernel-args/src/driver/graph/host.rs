//! Nodes that call a function of the program.
//!
//! The driver cannot stop a launch. So a panic of a closure is kept for `take_panic`, as the panic of a thread for
//! `join`.

use super::{AnyNode, Dependencies, Graph};
use crate::{
    driver::{
        api::{HostFunction, HostNodeParams},
        error::Error,
    },
    lock::lock,
};
use core::{any::Any, panic::AssertUnwindSafe};
use cudarc::driver::sys::CUgraphNode;
use std::{
    panic::catch_unwind,
    sync::{Arc, Mutex},
};

type Payload = Box<dyn Any + Send>;

/// A node that calls a function of the user: see [`Graph::add_host`].
pub struct HostNode {
    any: AnyNode,
    panicked: Arc<Mutex<Option<Payload>>>,
}

impl HostNode {
    /// Returns the node without its function, for dependencies.
    #[must_use]
    pub fn any(&self) -> AnyNode {
        self.any
    }

    /// Returns the payload of the panic with which the function ended, as `std::thread::JoinHandle::join` returns it.
    /// Later launches call the function again.
    #[must_use = "it is the panic of the function"]
    pub fn take_panic(&self) -> Option<Payload> {
        lock(&self.panicked).take()
    }

    /// Returns the driver's handle. It is valid as long as the graph.
    #[must_use]
    pub fn cu_graph_node(&self) -> CUgraphNode {
        self.any.0.raw()
    }
}

impl From<&HostNode> for AnyNode {
    fn from(node: &HostNode) -> Self {
        node.any
    }
}

debug!(HostNode, this => node: this.any.0.raw());

/// The lock is free, unless other code has instantiated the graph through its handle: launches of one graph run one
/// after another.
struct HostClosure<F> {
    function: Mutex<F>,
    panicked: Arc<Mutex<Option<Payload>>>,
}

impl<F: FnMut() + Send + 'static> HostFunction for HostClosure<F> {
    fn run(&self) {
        // The lock of the function is never poisoned, because panics do not leave the closure below.
        let mut function = lock(&self.function);
        if lock(&self.panicked).is_some() {
            return;
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(&mut *function)) {
            *lock(&self.panicked) = Some(payload);
        }
    }
}

impl Graph {
    /// Adds a node that calls `function` once in each launch, on a thread of the driver, after the nodes `after` have
    /// finished and before the nodes that depend on it.
    ///
    /// `function` must not call CUDA, directly or indirectly: the driver returns errors from such calls, or the program
    /// hangs. So it must not drop the last handle of a slice, an event or a graph, and must not wait for a thread that
    /// calls CUDA.
    ///
    /// The graph retains `function`. When the graph is dropped and its launches have finished, a thread of this crate
    /// drops it, where it may call CUDA.
    ///
    /// After a panic of `function` the launch continues, and later launches do not call it until
    /// [`HostNode::take_panic`] has returned the panic.
    ///
    /// ```no_run
    /// # use kernel_args::graph::Graph;
    /// # let ctx = kernel_args::context(0)?;
    /// let mut graph = Graph::new(&ctx)?;
    /// let (sender, launches) = std::sync::mpsc::channel();
    /// graph.add_host(move || { let _ = sender.send(()); }, &[])?;
    /// # drop(launches); Ok::<(), kernel_args::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`add_join`](Self::add_join).
    pub fn add_host(
        &mut self,
        function: impl FnMut() + Send + 'static,
        after: impl Dependencies,
    ) -> Result<HostNode, Error> {
        let panicked = Arc::default();
        let host = Arc::new(HostClosure { function: Mutex::new(function), panicked: Arc::clone(&panicked) });
        let params = HostNodeParams::of(&host);
        let any = self.add_kept(after, Some(Box::new(host)), |after| after.add_host(&params))?;
        self.place.not_in_bodies.get_or_insert("a host function");
        Ok(HostNode { any, panicked })
    }
}
