//! References to nodes of a graph.

use crate::{
    device::vector::Dim3,
    driver::{api::NodeId, launch::NodeSlot, module::Kernel},
    marshal::KernelArgs,
};
use cudarc::driver::sys::CUgraphNode;
use std::sync::Arc;

/// A kernel node of a graph, whose kernel takes the arguments `A`.
///
/// [`GraphExec::update`](super::GraphExec::update) sets new arguments. A `Node` keeps its kernel loaded, but not its
/// graph alive: without the graph it is rejected like a node of a different graph. As with [`Kernel`], `A` can be
/// written with any lifetime.
pub struct Node<A: KernelArgs> {
    pub(super) kernel: Kernel<A>,
    pub(super) any: AnyNode,
    pub(super) shared: u32,
    /// The cluster of its launch; `None` for a node from `kernel_nodes`.
    pub(super) cluster: Option<Dim3>,
    /// Holds the owner of the arguments; `None` if the graph was instantiated before the node was found.
    pub(super) slot: Option<Arc<NodeSlot>>,
}

impl<A: KernelArgs> Node<A> {
    /// Returns the node without the type of its arguments, for dependencies, and to enable or disable it.
    #[must_use]
    pub fn any(&self) -> AnyNode {
        self.any
    }

    /// Returns the kernel that the node launches.
    #[must_use]
    pub fn kernel(&self) -> &Kernel<A> {
        &self.kernel
    }

    /// Returns the driver's handle. It is valid as long as the graph.
    #[must_use]
    pub fn cu_graph_node(&self) -> CUgraphNode {
        self.any.0.raw()
    }
}

impl<A: KernelArgs> Clone for Node<A> {
    fn clone(&self) -> Self {
        Self { kernel: self.kernel.clone(), slot: self.slot.clone(), ..*self }
    }
}

debug!([A: KernelArgs] Node<A>, this => kernel: this.kernel.name(), arguments: A::NAME, node: this.any.0.raw());

/// A node of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnyNode(pub(super) NodeId);

impl<A: KernelArgs> From<&Node<A>> for AnyNode {
    fn from(node: &Node<A>) -> Self {
        node.any
    }
}

impl<A: KernelArgs> From<Node<A>> for AnyNode {
    fn from(node: Node<A>) -> Self {
        node.any
    }
}

impl From<&AnyNode> for AnyNode {
    fn from(node: &AnyNode) -> Self {
        *node
    }
}

/// Arguments for a [`Kernel<A>`](crate::Kernel) or a [`Node<A>`](super::Node): the struct `A` with any lifetimes.
#[diagnostic::on_unimplemented(
    message = "the kernel of this node takes `{A}`, not `{Self}`",
    label = "arguments of another kernel",
    note = "a `Kernel<{A}>` and a `Node<{A}>` take the struct `{A}`, with any lifetimes"
)]
pub trait NodeArgs<A: KernelArgs>: KernelArgs<Erased = A::Erased> {}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs, B: KernelArgs<Erased = A::Erased>> NodeArgs<A> for B {}
