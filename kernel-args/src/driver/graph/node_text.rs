//! What a node of a graph does, for programs, errors and pictures.

use crate::driver::{
    api::{GraphRef, NodeId},
    function::function_name,
};
use kernel_args_image::mangled::demangle;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $number:literal $name:literal;)*) => {
        /// What a node of a graph does: `CUgraphNodeType`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum NodeKind {
            $($(#[$doc])* $kind,)*
            /// A kind that this crate does not know.
            Other(u32),
        }

        impl NodeKind {
            pub(crate) fn from_number(kind: u32) -> Self {
                match kind {
                    $($number => Self::$kind,)*
                    other => Self::Other(other),
                }
            }

            /// In errors and pictures.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                    Self::Other(_) => "node of an unknown kind",
                }
            }
        }
    };
}

kinds! {
    /// It launches a kernel. (With the name `Kernel`, rustc would write `kernel_args::Kernel` in all errors.)
    KernelLaunch 0 "kernel";
    /// It copies memory.
    Memcpy 1 "copy";
    /// It sets memory.
    Memset 2 "memset";
    /// It calls a function of the host.
    Host 3 "host function";
    /// It runs another graph.
    ChildGraph 4 "child graph";
    /// It does nothing, and orders other nodes.
    Empty 5 "empty node";
    /// It waits for an event.
    EventWait 6 "wait for an event";
    /// It records an event.
    EventRecord 7 "record of an event";
    /// It signals an external semaphore.
    SemaphoreSignal 8 "signal of a semaphore";
    /// It waits for an external semaphore.
    SemaphoreWait 9 "wait for a semaphore";
    /// It allocates memory.
    Alloc 10 "allocation";
    /// It frees memory.
    Free 11 "free";
    /// It runs memory operations of the driver, such as a wait for a value.
    BatchMemOp 12 "memory operations";
    /// It runs a graph under a condition.
    Conditional 13 "conditional node";
}

pub(super) struct NodeText {
    kind: NodeKind,
    pub(super) kernel: Option<String>,
    pub(super) launch: Option<([u32; 3], [u32; 3], u32)>,
}

display!(NodeText, |this, f| {
    f.write_str(this.kind.name())?;
    if let Some(kernel) = &this.kernel {
        write!(f, " `{kernel}`")?;
    }
    Ok(())
});

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
