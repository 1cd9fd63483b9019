//! The nodes on which a new node depends.

use super::{AnyNode, HostNode, Node};
use crate::marshal::KernelArgs;

/// The nodes after which a new node runs: `&[]` for none, `&node` for one, `[&a, &b]` for several. For nodes of
/// different types, a slice of [`AnyNode`]: `&[a.any(), b.any()]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of nodes",
    label = "not nodes",
    note = "write `&[]` for no node, `&a` for one, `[&a, &b]` for several; if the nodes have different types, write `&[a.any(), b.any()]`"
)]
pub trait Dependencies: sealed::Sealed {
    /// Returns the nodes.
    #[doc(hidden)]
    fn into_nodes(self) -> Vec<AnyNode>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! dependencies {
    ($([$($generics:tt)*] $ty:ty, $nodes:ident => $list:expr;)*) => {$(
        impl<$($generics)*> sealed::Sealed for $ty {}
        impl<$($generics)*> Dependencies for $ty {
            fn into_nodes(self) -> Vec<AnyNode> {
                let $nodes = self;
                $list
            }
        }
    )*};
}

// Only one of these types is a reference to an array, so rustc infers the element of `&[]`.
dependencies! {
    [] AnyNode, node => [node].into();
    [] &AnyNode, node => [*node].into();
    [] &HostNode, node => [node.any()].into();
    [A: KernelArgs] &Node<A>, node => [node.any()].into();
    [] &[AnyNode], nodes => nodes.into();
    [] &Vec<AnyNode>, nodes => nodes.clone();
    [const N: usize] &[AnyNode; N], nodes => nodes.into();
    [A: KernelArgs, const N: usize] [&Node<A>; N], nodes => nodes.map(Node::any).into();
}
