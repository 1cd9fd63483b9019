//! What keeps the memory of a node's arguments allocated.

use super::release::{self, Owner};
use crate::driver::error::Error;
use core::{
    mem,
    sync::atomic::{AtomicBool, Ordering},
};
use std::{
    boxed::Box,
    sync::{Arc, Mutex, PoisonError},
};

/// The values that one node of a graph holds. The graph takes them when no launch uses them any more; a [`Node`](super::Node) can outlive
/// its graph.
pub(crate) struct Slot {
    /// Whether there are arguments, which an update must release.
    occupied: AtomicBool,
    arguments: Mutex<Option<Owner>>,
    /// Keeps the kernel loaded.
    _kept: Box<dyn Send + Sync>,
}

impl Slot {
    /// An empty slot, which holds `kept`.
    pub(super) fn new(kept: Box<dyn Send + Sync>) -> Result<Arc<Self>, Error> {
        release::start()?;
        Ok(Arc::new(Self { occupied: AtomicBool::new(false), arguments: Mutex::default(), _kept: kept }))
    }

    #[inline(always)]
    pub(super) fn is_occupied(&self) -> bool {
        self.occupied.load(Ordering::Relaxed)
    }

    /// Stores the owner of the node's arguments; returns the previous owner.
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
