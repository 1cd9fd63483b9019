//! What an update of a graph of cudarc retains.

use super::release::Owner;
use crate::driver::api::NodeId;
use core::mem;
use std::{collections::BTreeMap, vec::Vec};

/// The owners of the arguments that updates of a graph of cudarc have set. They are not in the slots of its nodes, for two reasons.
/// A slot contains the arguments of the capture, which launches of cudarc may still use. And the slot of a node of a destroyed graph
/// with the same handle is released when that graph's last launch has finished, whatever this graph does.
#[derive(Default)]
pub(super) struct TakenOver {
    current: BTreeMap<NodeId, Owner>,
    /// Owners of former arguments whose last launch may still be running.
    former: Vec<Owner>,
}

impl TakenOver {
    /// Stores `owner` as the owner of the node's arguments; returns the previous owner.
    pub(super) fn replace_owner(&mut self, node: NodeId, owner: Option<Owner>) -> Option<Owner> {
        match owner {
            Some(owner) => self.current.insert(node, owner),
            None => self.current.remove(&node),
        }
    }

    /// Holds `owner` until the graph is dropped or a later update can release it.
    pub(super) fn keep(&mut self, owner: Owner) {
        self.former.push(owner);
    }

    /// The owners of former arguments.
    pub(super) fn take_former(&mut self) -> Vec<Owner> {
        mem::take(&mut self.former)
    }

    /// All owners.
    pub(super) fn into_owners(self) -> Vec<Owner> {
        self.current.into_values().chain(self.former).collect()
    }
}
