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
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    vec::Vec,
};

/// The values that one node of a graph holds. The driver holds the slot as a user object of the graph, and releases it
/// when the graph and every graph that was instantiated from it are destroyed and their launches have finished.
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
    /// The driver's object, while the graph of the slot holds it.
    object: Option<Handle<CUuserObject_st>>,
}

impl Slot {
    /// Creates a slot that `graph` holds. The slot holds `kept`.
    pub(crate) fn retained_by(
        graph: GraphRef<'_>,
        context: &Arc<CudaContext>,
        kept: Box<dyn Send + Sync>,
    ) -> Result<Arc<Self>, Error> {
        if !release::start() {
            return Err(explain::no_thread(None, explain::RETAINED));
        }
        let slot = Arc::new(Self {
            context: context.clone(),
            occupied: AtomicBool::new(false),
            held: Mutex::default(),
            _kept: kept,
        });
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
