//! What a graph holds for its nodes.

use super::{
    allocations::Allocations,
    release::{self, Owner, release},
};
use crate::driver::{api::NodeId, error::Error};
use core::{
    mem,
    sync::atomic::{AtomicBool, Ordering},
};
use cudarc::driver::{CudaContext, sys::CUdeviceptr};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

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

/// The slots of the launches of a capture. A launch that has failed may have no known node.
pub(super) type CapturedSlots = Vec<(Option<NodeId>, Arc<NodeSlot>)>;

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

/// What one node of a graph holds. The graph takes it when no launch uses it any more; a node can outlive its graph.
pub(crate) struct NodeSlot {
    /// Whether there are arguments, which an update must release.
    occupied: AtomicBool,
    arguments: Mutex<Option<Owner>>,
    /// Keeps the kernel loaded.
    _kept: Box<dyn Send + Sync>,
}

impl NodeSlot {
    pub(super) fn new(kept: Box<dyn Send + Sync>) -> Result<Arc<Self>, Error> {
        release::start()?;
        Ok(Arc::new(Self { occupied: AtomicBool::new(false), arguments: Mutex::default(), _kept: kept }))
    }

    #[inline(always)]
    pub(super) fn is_occupied(&self) -> bool {
        self.occupied.load(Ordering::Relaxed)
    }

    pub(super) fn replace_owner(&self, owner: Option<Owner>) -> Option<Owner> {
        self.occupied.store(owner.is_some(), Ordering::Relaxed);
        // No code that can panic runs while it is locked.
        mem::replace(&mut *self.arguments.lock().unwrap_or_else(PoisonError::into_inner), owner)
    }

    /// Everything in the slot, and the slot itself, which may be the last owner that keeps a module loaded.
    pub(super) fn into_owners(self: Arc<Self>) -> impl Iterator<Item = Owner> {
        let arguments = self.replace_owner(None);
        arguments.into_iter().chain([Box::new(self) as Owner])
    }
}
