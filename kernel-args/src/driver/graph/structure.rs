//! The nodes of a graph and their dependencies.

use super::{AnyNode, Graph, GraphExec, Node, explain};
use crate::{
    driver::{
        api::{GraphNode, GraphRef, Handle, NodeId},
        error::Error,
        function::function_name,
        module::Kernel,
    },
    marshal::KernelArgs,
};
use core::fmt;
use kernel_args_image::mangled::demangle;
use std::{string::String, vec::Vec};

/// What a node of a graph does: `CUgraphNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// It launches a kernel.
    Kernel,
    /// It copies memory.
    Memcpy,
    /// It sets memory.
    Memset,
    /// It calls a function of the host.
    Host,
    /// It runs another graph.
    ChildGraph,
    /// It does nothing, and orders other nodes.
    Empty,
    /// It waits for an event.
    EventWait,
    /// It records an event.
    EventRecord,
    /// It signals an external semaphore.
    SemaphoreSignal,
    /// It waits for an external semaphore.
    SemaphoreWait,
    /// It allocates memory.
    Alloc,
    /// It frees memory.
    Free,
    /// It runs memory operations of the driver, such as a wait for a value.
    BatchMemOp,
    /// It runs a graph under a condition.
    Conditional,
    /// A kind that this crate does not know.
    Other(u32),
}

impl NodeKind {
    pub(super) fn from_number(kind: u32) -> Self {
        const KINDS: [NodeKind; 14] = [
            NodeKind::Kernel,
            NodeKind::Memcpy,
            NodeKind::Memset,
            NodeKind::Host,
            NodeKind::ChildGraph,
            NodeKind::Empty,
            NodeKind::EventWait,
            NodeKind::EventRecord,
            NodeKind::SemaphoreSignal,
            NodeKind::SemaphoreWait,
            NodeKind::Alloc,
            NodeKind::Free,
            NodeKind::BatchMemOp,
            NodeKind::Conditional,
        ];
        let known = KINDS.get(kind as usize).copied();
        known.unwrap_or(Self::Other(kind))
    }

    /// What a node of this kind is called in errors and pictures.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Memcpy => "copy",
            Self::Memset => "memset",
            Self::Host => "host function",
            Self::ChildGraph => "child graph",
            Self::Empty => "empty node",
            Self::EventWait => "wait for an event",
            Self::EventRecord => "record of an event",
            Self::SemaphoreSignal => "signal of a semaphore",
            Self::SemaphoreWait => "wait for a semaphore",
            Self::Alloc => "allocation",
            Self::Free => "free",
            Self::BatchMemOp => "memory operations",
            Self::Conditional => "conditional node",
            Self::Other(_) => "node of an unknown kind",
        }
    }
}

fn found(graph: GraphRef<'_>, node: AnyNode) -> Result<GraphNode<'_>, Error> {
    let foreign = || explain::not_of_graph(graph, node.0, None, explain::FOUND);
    graph.node(node.0).ok_or_else(foreign)
}

fn edges(graph: GraphRef<'_>) -> Result<Vec<(NodeId, NodeId)>, Error> {
    let edges = graph.edges();
    edges.map_err(|error| explain::call(explain::FOUND, error))
}

fn neighbours(
    graph: GraphRef<'_>,
    node: AnyNode,
    neighbour: impl Fn((NodeId, NodeId)) -> (NodeId, NodeId),
) -> Result<Vec<AnyNode>, Error> {
    found(graph, node)?;
    let pairs = edges(graph)?.into_iter().map(neighbour);
    let of_node = pairs.filter(|(this, _)| *this == node.0);
    Ok(of_node.map(|(_, other)| AnyNode(other)).collect())
}

/// The same methods for both types of graphs.
macro_rules! structure {
    ($($ty:ident, $graph:ident;)*) => {$(
        impl $ty {
            /// All nodes, in the order of the driver's list.
            ///
            /// # Errors
            /// [`Error::Graph`].
            pub fn nodes(&self) -> Result<Vec<AnyNode>, Error> {
                let nodes = self.driver.$graph().nodes();
                let nodes = nodes.map_err(|error| explain::call(explain::FOUND, error))?;
                Ok(nodes.into_iter().map(AnyNode).collect())
            }

            /// All dependencies: the second node of each pair runs after the first.
            ///
            /// # Errors
            /// [`Error::Graph`].
            pub fn edges(&self) -> Result<Vec<(AnyNode, AnyNode)>, Error> {
                let edges = edges(self.driver.$graph())?.into_iter();
                Ok(edges.map(|(from, to)| (AnyNode(from), AnyNode(to))).collect())
            }

            /// The nodes on which `node` depends directly.
            ///
            /// # Errors
            /// [`Error::Graph`] if the node was removed or belongs to a different graph.
            pub fn predecessors(&self, node: impl Into<AnyNode>) -> Result<Vec<AnyNode>, Error> {
                neighbours(self.driver.$graph(), node.into(), |(from, to)| (to, from))
            }

            /// The nodes that depend directly on `node`.
            ///
            /// # Errors
            /// Same as [`predecessors`](Self::predecessors).
            pub fn successors(&self, node: impl Into<AnyNode>) -> Result<Vec<AnyNode>, Error> {
                neighbours(self.driver.$graph(), node.into(), |edge| edge)
            }

            /// What `node` does.
            ///
            /// # Errors
            /// Same as [`predecessors`](Self::predecessors).
            pub fn kind(&self, node: impl Into<AnyNode>) -> Result<NodeKind, Error> {
                let kind = found(self.driver.$graph(), node.into())?.kind();
                let kind = kind.map_err(|error| explain::call(explain::FOUND, error))?;
                Ok(NodeKind::from_number(kind))
            }
        }
    )*};
}

structure! {
    Graph, as_ref;
    GraphExec, graph;
}

impl Graph {
    /// `node` as a node of `kernel`, which can be updated with arguments that the graph retains. `None` if it launches a different
    /// kernel or is not a kernel node.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node was removed or belongs to a different graph.
    pub fn kernel_node<A: KernelArgs>(
        &mut self,
        node: impl Into<AnyNode>,
        kernel: &Kernel<A>,
    ) -> Result<Option<Node<A>>, Error> {
        let any = node.into();
        self.context.bind_to_thread().map_err(Error::context)?;
        let launch = found(self.driver.as_ref(), any)?.kernel();
        let launch = launch.map_err(|error| explain::call(explain::FOUND, error))?;
        match launch {
            Some((function, shared)) if function == Handle::new(kernel.cu_function()) => {
                let slot = self.slot(kernel.keep_loaded())?;
                self.contents.added(any.0, Some(&slot), &[]);
                Ok(Some(Node {
                    kernel: kernel.clone(),
                    any,
                    shared,
                    cluster: None,
                    slot: Some(slot),
                }))
            }
            _ => Ok(None),
        }
    }
}

/// A node in errors and pictures.
pub(super) struct Described {
    kind: NodeKind,
    /// The name of its kernel.
    pub(super) kernel: Option<String>,
    /// The grid, the block, and the dynamic shared memory.
    pub(super) launch: Option<([u32; 3], [u32; 3], u32)>,
}

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if let Some(kernel) = &self.kernel {
            write!(f, " `{kernel}`")?;
        }
        Ok(())
    }
}

/// Describes a node of `graph` as far as the driver reports it. A context must be current.
pub(super) fn described(graph: GraphRef<'_>, node: NodeId) -> Described {
    let node = graph.node(node);
    let kind = node.and_then(|node| node.kind().ok()).unwrap_or(u32::MAX);
    let launch = node.and_then(|node| node.launch().ok().flatten());
    Described {
        kind: NodeKind::from_number(kind),
        kernel: launch.as_ref().map(|launch| {
            let symbol = function_name(launch.function);
            demangle(&symbol).unwrap_or(symbol)
        }),
        launch: launch.map(|launch| (launch.grid, launch.block, launch.shared)),
    }
}
