//! What a node of a graph does, for programs, errors and pictures.

use crate::driver::{
    api::{GraphRef, NodeId},
    function::function_name,
};
use core::fmt;
use kernel_args_image::mangled::demangle;
use std::string::String;

/// What a node of a graph does: `CUgraphNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// It launches a kernel. (With the name `Kernel`, rustc would write `kernel_args::Kernel` in all errors.)
    KernelLaunch,
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
            NodeKind::KernelLaunch,
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
            Self::KernelLaunch => "kernel",
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

/// A node in errors and pictures.
pub(super) struct NodeText {
    kind: NodeKind,
    /// The name of its kernel.
    pub(super) kernel: Option<String>,
    /// The grid, the block, and the dynamic shared memory.
    pub(super) launch: Option<([u32; 3], [u32; 3], u32)>,
}

impl fmt::Display for NodeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if let Some(kernel) = &self.kernel {
            write!(f, " `{kernel}`")?;
        }
        Ok(())
    }
}

/// Describes a node of `graph` as far as the driver reports it. A context must be current.
pub(super) fn node_text(graph: GraphRef<'_>, node: NodeId) -> NodeText {
    let node = graph.node(node);
    let kind = node.and_then(|node| node.kind().ok()).unwrap_or(u32::MAX);
    let launch = node.and_then(|node| node.launch().ok().flatten());
    NodeText {
        kind: NodeKind::from_number(kind),
        kernel: launch.as_ref().map(|launch| {
            let symbol = function_name(launch.function);
            demangle(&symbol).unwrap_or(symbol)
        }),
        launch: launch.map(|launch| (launch.grid, launch.block, launch.shared)),
    }
}
