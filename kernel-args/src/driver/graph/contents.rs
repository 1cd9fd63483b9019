//! What this crate knows of a graph in addition to the driver.

use super::{
    allocations::Allocations,
    owner::{Slot, Slots},
};
use crate::driver::{
    api::{GraphRef, NodeId},
    error::Error,
};
use cudarc::driver::{CudaContext, sys::CUdeviceptr};
use std::{
    boxed::Box,
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    vec::Vec,
};

/// The slots of a graph's nodes, and the memory that the graph allocates.
#[derive(Default)]
pub(super) struct Contents {
    /// What the driver holds for all slots, except slots of captured launches. Created with the first one.
    held: OnceLock<Arc<Slots>>,
    slots: BTreeMap<NodeId, Vec<Arc<Slot>>>,
    pub(super) memory: Allocations,
}

impl Contents {
    /// A slot that `graph` holds. The slot holds `kept`.
    pub(super) fn slot(
        &self,
        graph: GraphRef<'_>,
        context: &Arc<CudaContext>,
        kept: Box<dyn Send + Sync>,
    ) -> Result<Arc<Slot>, Error> {
        let held = if let Some(held) = self.held.get() {
            held
        } else {
            let slots = Slots::retained_by(graph)?;
            self.held.get_or_init(|| slots)
        };
        Ok(held.add(context, kept))
    }

    /// Releases the slot of a removed node, if a call of [`slot`](Self::slot) has returned it.
    pub(super) fn release(&self, slot: &Arc<Slot>) {
        if let Some(held) = self.held.get() {
            held.remove(slot);
        }
    }

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
