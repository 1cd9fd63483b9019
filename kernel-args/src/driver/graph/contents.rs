//! What a graph holds for its nodes.

use super::{
    allocations::Allocations,
    release::{self, Owner, release},
};
use crate::driver::{
    api::NodeId,
    error::Error,
    launch::{CapturedSlots, NodeSlot},
};
use core::mem;
use cudarc::driver::{CudaContext, sys::CUdeviceptr};
use std::{collections::BTreeMap, sync::Arc};

/// Drop releases all of it at once. After launches, `take` has emptied it.
pub(super) struct GraphContents {
    context: Arc<CudaContext>,
    /// For a child graph and a conditional node, the slots of the nodes inside of it.
    slots: BTreeMap<NodeId, Vec<Arc<NodeSlot>>>,
    owners: Vec<Owner>,
    pub(super) memory: Allocations,
    /// The number of conditions without a conditional node. It is negative if the conditions belong to a graph around
    /// this body.
    pub(super) unused_conditions: isize,
}

impl GraphContents {
    pub(super) fn new(context: &Arc<CudaContext>) -> Self {
        Self {
            context: context.clone(),
            slots: BTreeMap::new(),
            owners: Vec::new(),
            memory: Allocations::default(),
            unused_conditions: 0,
        }
    }

    /// `used` are the addresses of the graph's memory that the node uses.
    pub(super) fn added(&mut self, node: NodeId, slot: Option<&Arc<NodeSlot>>, used: &[CUdeviceptr]) {
        if let Some(slot) = slot {
            self.slots.entry(node).or_default().push(slot.clone());
        }
        self.memory.used_by(node, used);
    }

    pub(super) fn captured(&mut self, slots: CapturedSlots) {
        for (node, slot) in slots {
            match node {
                Some(node) => self.added(node, Some(&slot), &[]),
                None => self.own(Box::new(slot)),
            }
        }
    }

    pub(super) fn own(&mut self, owner: Owner) {
        self.owners.push(owner);
    }

    pub(super) fn take_over(&mut self, node: NodeId, inside: &mut Self) {
        let slots = mem::take(&mut inside.slots).into_values().flatten();
        self.slots.entry(node).or_default().extend(slots);
        self.owners.append(&mut inside.owners);
        self.unused_conditions += inside.unused_conditions;
    }

    /// The graph has not been launched.
    pub(super) fn removed(&mut self, node: NodeId) {
        let slots = self.slots.remove(&node).into_iter().flatten();
        release(None, &self.context, slots.flat_map(NodeSlot::into_owners).collect());
    }

    pub(super) fn take_arguments(&mut self) -> Vec<Owner> {
        let slots = self.slots.values().flatten();
        slots.filter_map(|slot| slot.replace_owner(None)).collect()
    }

    pub(super) fn take(&mut self) -> Vec<Owner> {
        let slots = mem::take(&mut self.slots).into_values().flatten();
        let mut owners: Vec<_> = slots.flat_map(NodeSlot::into_owners).collect();
        owners.append(&mut self.owners);
        owners
    }
}

impl Drop for GraphContents {
    fn drop(&mut self) {
        let owners = self.take();
        release(None, &self.context, owners);
    }
}

/// Creates a slot for a node of a kernel that `kept` keeps loaded. Its contents are released by a different thread.
pub(super) fn new_slot(kept: Box<dyn Send + Sync>) -> Result<Arc<NodeSlot>, Error> {
    release::start()?;
    Ok(NodeSlot::new(kept))
}
