//! What keeps the memory of a node's arguments allocated.

use super::release::{self, Owner, release};
use crate::driver::{
    api::{GraphRef, UserObject},
    error::Error,
};
use core::{
    mem,
    sync::atomic::{AtomicBool, Ordering},
};
use cudarc::driver::CudaContext;
use std::{
    boxed::Box,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    vec::Vec,
};

/// The values that one node of a graph holds. The graph owns the slot, and closes it when no launch uses the values any more.
pub(crate) struct Slot {
    /// Whether an update must replace an owner of arguments.
    occupied: AtomicBool,
    held: Mutex<Held>,
    /// Keeps the kernel loaded.
    _kept: Box<dyn Send + Sync>,
}

#[derive(Default)]
struct Held {
    arguments: Option<Owner>,
    closed: bool,
}

impl Slot {
    /// Creates an empty slot, which holds `kept`.
    pub(super) fn new(kept: Box<dyn Send + Sync>) -> Result<Arc<Self>, Error> {
        release::start()?;
        Ok(Arc::new(Self { occupied: AtomicBool::new(false), held: Mutex::default(), _kept: kept }))
    }

    /// Creates a slot that the driver closes, for a graph that other code owns: when the graph and every graph that was
    /// instantiated from it are destroyed and their launches have finished.
    pub(super) fn of_driver(
        graph: GraphRef<'_>,
        context: &Arc<CudaContext>,
        kept: Box<dyn Send + Sync>,
    ) -> Result<Arc<Self>, Error> {
        let slot = Self::new(kept)?;
        graph.retain(Arc::new(OfDriver { slot: slot.clone(), context: context.clone() }))?;
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

    /// Takes everything out of the slot. The caller drops it when no launch uses it any more.
    pub(super) fn close(self: Arc<Self>) -> Vec<Owner> {
        let arguments = {
            let mut held = self.held();
            held.closed = true;
            held.arguments.take()
        };
        // The slot itself may be the last owner that keeps a module loaded.
        let slot: Owner = Box::new(self);
        arguments.into_iter().chain([slot]).collect()
    }

    /// A closed slot holds nothing for a graph.
    pub(super) fn is_closed(&self) -> bool {
        self.held().closed
    }
}

/// A slot as a user object of a graph.
struct OfDriver {
    slot: Arc<Slot>,
    context: Arc<CudaContext>,
}

impl UserObject for OfDriver {
    fn released(self: Arc<Self>) {
        release(None, &self.context, self.slot.clone().close());
    }
}
