//! What a graph holds for its nodes.

use super::{
    allocations::Allocations,
    capture::CapturedSlots,
    owner::Slot,
    release::{Owner, release},
};
use crate::driver::api::NodeId;
use core::mem;
use cudarc::driver::{CudaContext, sys::CUdeviceptr};
use std::{boxed::Box, collections::BTreeMap, sync::Arc, vec::Vec};

/// The slots of a graph's nodes, what else the graph retains, and the memory that it allocates.
///
/// Drop releases all of it at once. A graph that was launched takes it before, and releases it after its launches.
pub(super) struct Contents {
    context: Arc<CudaContext>,
    /// For a child graph and a conditional node, the slots of the nodes inside of it.
    slots: BTreeMap<NodeId, Vec<Arc<Slot>>>,
    owners: Vec<Owner>,
    pub(super) memory: Allocations,
    /// The number of conditions without a conditional node. It is negative if the conditions belong to a graph around this body.
    pub(super) unused_conditions: isize,
}

impl Contents {
    pub(super) fn new(context: &Arc<CudaContext>) -> Self {
        Self {
            context: context.clone(),
            slots: BTreeMap::new(),
            owners: Vec::new(),
            memory: Allocations::default(),
            unused_conditions: 0,
        }
    }

    /// A node was added. `slot` holds what it retains; `used` are the addresses of the graph's memory that it uses.
    pub(super) fn added(&mut self, node: NodeId, slot: Option<&Arc<Slot>>, used: &[CUdeviceptr]) {
        if let Some(slot) = slot {
            self.slots.entry(node).or_default().push(slot.clone());
        }
        self.memory.used_by(node, used);
    }

    /// The graph was captured.
    pub(super) fn captured(&mut self, slots: CapturedSlots) {
        for (node, slot) in slots {
            match node {
                Some(node) => self.added(node, Some(&slot), &[]),
                None => self.own(Box::new(slot)),
            }
        }
    }

    /// Holds `owner` as long as the graph exists.
    pub(super) fn own(&mut self, owner: Owner) {
        self.owners.push(owner);
    }

    /// Holds what the graph inside of the node `node` holds.
    pub(super) fn take_over(&mut self, node: NodeId, inside: &mut Self) {
        let slots = mem::take(&mut inside.slots).into_values().flatten();
        self.slots.entry(node).or_default().extend(slots);
        self.owners.append(&mut inside.owners);
        self.unused_conditions += inside.unused_conditions;
    }

    /// A node was removed: releases what it has retained. The graph has not been launched.
    pub(super) fn removed(&mut self, node: NodeId) {
        let slots = self.slots.remove(&node).into_iter().flatten();
        release(None, &self.context, slots.flat_map(Slot::into_owners).collect());
    }

    /// The owners of all arguments, which an update of the whole graph replaces.
    pub(super) fn take_arguments(&mut self) -> Vec<Owner> {
        let slots = self.slots.values().flatten();
        slots.filter_map(|slot| slot.replace_owner(None)).collect()
    }

    /// Everything that the graph holds.
    pub(super) fn take(&mut self) -> Vec<Owner> {
        let slots = mem::take(&mut self.slots).into_values().flatten();
        let mut owners: Vec<_> = slots.flat_map(Slot::into_owners).collect();
        owners.append(&mut self.owners);
        owners
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        let owners = self.take();
        release(None, &self.context, owners);
    }
}
