//! What this crate knows of a graph in addition to the driver.

use super::{allocations::Allocations, owner::Slot};
use crate::driver::api::NodeId;
use cudarc::driver::sys::CUdeviceptr;
use std::{collections::BTreeMap, sync::Arc, vec::Vec};

/// The slots of a graph's nodes, and the memory that the graph allocates.
#[derive(Default)]
pub(super) struct Contents {
    slots: BTreeMap<NodeId, Vec<Arc<Slot>>>,
    pub(super) memory: Allocations,
}

impl Contents {
    /// A node was added. `slot` holds what it retains; `used` are the addresses of the graph's memory that it uses.
    pub(super) fn added(&mut self, node: NodeId, slot: Option<&Arc<Slot>>, used: &[CUdeviceptr]) {
        if let Some(slot) = slot {
            self.slots.entry(node).or_default().push(slot.clone());
        }
        self.memory.used_by(node, used);
    }

    /// The slots of a node that was removed.
    pub(super) fn removed(&mut self, node: NodeId) -> Vec<Arc<Slot>> {
        self.slots.remove(&node).unwrap_or_default()
    }

    /// The slots of all nodes.
    pub(super) fn slots(&self) -> impl Iterator<Item = &Arc<Slot>> {
        self.slots.values().flatten()
    }
}
