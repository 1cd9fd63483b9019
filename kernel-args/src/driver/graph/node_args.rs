//! The arguments of a node.

use crate::marshal::KernelArgs;

/// Arguments for a [`Kernel<A>`](crate::Kernel) or a [`Node<A>`](super::Node): the struct `A` with any lifetimes.
#[diagnostic::on_unimplemented(
    message = "the kernel of this node takes `{A}`, not `{Self}`",
    label = "arguments of another kernel",
    note = "a `Kernel<{A}>` and a `Node<{A}>` take the struct `{A}`, with any lifetimes"
)]
pub trait NodeArgs<A: KernelArgs>: KernelArgs<Erased = A::Erased> {}

#[diagnostic::do_not_recommend]
impl<A: KernelArgs, B: KernelArgs<Erased = A::Erased>> NodeArgs<A> for B {}
