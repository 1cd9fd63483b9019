//! What an update of a graph of cudarc retains.

use super::release::Owner;
use crate::driver::api::NodeId;
use std::collections::BTreeMap;

/// The owners of the arguments that updates of a graph of cudarc have set. They are not in the slots of its nodes, for two reasons.
/// A slot contains the arguments of the capture, which launches of cudarc may still use. And the slot of a node of a destroyed graph
/// with the same handle is released when that graph's last launch has finished, whatever this graph does.
#[derive(Default)]
pub(super) struct TakenOver(BTreeMap<NodeId, Owner>);

impl TakenOver {
    /// Stores `owner` as the owner of the node's arguments; returns the previous owner.
    pub(super) fn replace_owner(&mut self, node: NodeId, owner: Option<Owner>) -> Option<Owner> {
        match owner {
            Some(owner) => self.0.insert(node, owner),
            None => self.0.remove(&node),
        }
    }

    /// All owners.
    pub(super) fn into_owners(self) -> impl Iterator<Item = Owner> {
        self.0.into_values()
    }
}
