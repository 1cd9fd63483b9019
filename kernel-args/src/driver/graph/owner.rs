//! User objects of a graph that keep the memory of a node's arguments allocated.

use super::{
    explain,
    release::{self, Owner, Released, release},
};
use crate::driver::{
    api::{GraphRef, Handle, UserObject},
    error::Error,
};
use core::{
    mem,
    sync::atomic::{AtomicBool, Ordering},
};
use cudarc::driver::{CudaContext, sys::CUuserObject_st};
use std::{
    boxed::Box,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    vec::Vec,
};

/// The values that one node of a graph holds. The driver holds the slot: as a user object of the graph, or in the [`Slots`] of the graph.
/// It releases the slot when the graph and every graph that was instantiated from it are destroyed and their launches have finished.
pub(crate) struct Slot {
    context: Arc<CudaContext>,
    /// Whether an update must replace an owner of arguments.
    occupied: AtomicBool,
    held: Mutex<Held>,
    /// Keeps the kernel loaded, or holds other objects that the node needs while it exists.
    _kept: Box<dyn Send + Sync>,
}

#[derive(Default)]
struct Held {
    arguments: Option<Owner>,
    /// Owners of former arguments whose last launch may still be running.
    former: Vec<Owner>,
    /// The driver has released the slot.
    closed: bool,
    /// The driver's object, while the graph of the slot holds it. `None` for a slot in [`Slots`].
    object: Option<Handle<CUuserObject_st>>,
}

/// The slots of a graph that only this crate changes: one user object for all of them. A launch takes the driver 5 ns for each user object
/// of its graph (H200, CUDA 13.0, `benches/`).
#[derive(Default)]
pub(super) struct Slots(Mutex<BTreeMap<usize, Arc<Slot>>>);

impl Slots {
    /// Slots that `graph` holds.
    pub(super) fn retained_by(graph: GraphRef<'_>) -> Result<Arc<Self>, Error> {
        if !release::start() {
            return Err(explain::no_thread(None, explain::RETAINED));
        }
        let slots = Arc::new(Self::default());
        graph.retain(slots.clone())?;
        Ok(slots)
    }

    /// A new slot, which holds `kept`.
    pub(super) fn add(&self, context: &Arc<CudaContext>, kept: Box<dyn Send + Sync>) -> Arc<Slot> {
        let slot = Slot::new(context, kept);
        self.slots().insert(Arc::as_ptr(&slot).addr(), slot.clone());
        slot
    }

    /// Releases a slot whose node was removed before the graph was instantiated: no launch uses it.
    pub(super) fn remove(&self, slot: &Arc<Slot>) {
        let removed = self.slots().remove(&Arc::as_ptr(slot).addr());
        if let Some(slot) = removed {
            slot.released();
        }
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<Slot>>> {
        // No code that can panic runs while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UserObject for Slots {
    fn released(self: Arc<Self>) {
        let slots = mem::take(&mut *self.slots());
        slots.into_values().for_each(Slot::released);
    }
}

impl Slot {
    fn new(context: &Arc<CudaContext>, kept: Box<dyn Send + Sync>) -> Arc<Self> {
        Arc::new(Self {
            context: context.clone(),
            occupied: AtomicBool::new(false),
            held: Mutex::default(),
            _kept: kept,
        })
    }

    /// Creates a slot that `graph` holds by itself, for a graph that other code can change too. The slot holds `kept`.
    pub(crate) fn retained_by(
        graph: GraphRef<'_>,
        context: &Arc<CudaContext>,
        kept: Box<dyn Send + Sync>,
    ) -> Result<Arc<Self>, Error> {
        if !release::start() {
            return Err(explain::no_thread(None, explain::RETAINED));
        }
        let slot = Self::new(context, kept);
        let object = graph.retain(slot.clone())?;
        slot.held().object = Some(object);
        Ok(slot)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // No code that can panic runs while it is locked.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the slot has an owner of arguments that an update must replace.
    #[inline(always)]
    pub(super) fn is_occupied(&self) -> bool {
        self.occupied.load(Ordering::Relaxed)
    }

    /// An update must replace an owner that is not in the slot.
    pub(super) fn occupy(&self) {
        self.occupied.store(true, Ordering::Relaxed);
    }

    /// Stores `owner` as the owner of the node's arguments; returns the previous owner.
    pub(super) fn replace_owner(&self, owner: Option<Owner>) -> Option<Owner> {
        self.occupied.store(owner.is_some(), Ordering::Relaxed);
        mem::replace(&mut self.held().arguments, owner)
    }

    /// The driver's object; the caller releases the reference of the graph.
    pub(super) fn take_object(&self) -> Option<Handle<CUuserObject_st>> {
        self.held().object.take()
    }

    /// Holds `owner` until the driver releases the slot.
    pub(super) fn keep(&self, owner: Owner) {
        self.held().former.push(owner);
    }

    /// The owners that the slot holds until their launches have finished.
    pub(super) fn take_former(&self) -> Vec<Owner> {
        mem::take(&mut self.held().former)
    }

    /// Whether the driver has released the slot. A released slot holds nothing for a graph.
    pub(super) fn is_closed(&self) -> bool {
        self.held().closed
    }
}

impl UserObject for Slot {
    fn released(self: Arc<Self>) {
        let (arguments, mut former) = {
            let mut held = self.held();
            held.closed = true;
            (held.arguments.take(), mem::take(&mut held.former))
        };
        former.extend(arguments);
        release(Released {
            after: None,
            context: self.context.clone(),
            former,
            // The slot itself may be the last owner that keeps a module loaded.
            owner: Box::new(self),
        });
    }
}
