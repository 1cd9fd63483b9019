use crate::lock::lock;
use core::{
    mem,
    sync::atomic::{AtomicBool, Ordering},
};
use std::sync::{Arc, Mutex};

/// What one node of a graph holds. The graph takes it when no launch uses it any more; a node can outlive its graph.
pub(crate) struct NodeSlot {
    /// Whether there are arguments, which an update must release.
    occupied: AtomicBool,
    arguments: Mutex<Option<Box<dyn Send>>>,
    /// Keeps the kernel loaded.
    _kept: Box<dyn Send + Sync>,
}

impl NodeSlot {
    pub(crate) fn new(kept: Box<dyn Send + Sync>) -> Arc<Self> {
        Arc::new(Self { occupied: AtomicBool::new(false), arguments: Mutex::default(), _kept: kept })
    }

    #[inline(always)]
    pub(crate) fn is_occupied(&self) -> bool {
        self.occupied.load(Ordering::Relaxed)
    }

    pub(crate) fn replace_owner(&self, owner: Option<Box<dyn Send>>) -> Option<Box<dyn Send>> {
        self.occupied.store(owner.is_some(), Ordering::Relaxed);
        // No code that can panic runs while it is locked.
        mem::replace(&mut *lock(&self.arguments), owner)
    }

    /// Everything in the slot, and the slot itself, which may be the last owner that keeps a module loaded.
    pub(crate) fn into_owners(self: Arc<Self>) -> impl Iterator<Item = Box<dyn Send>> {
        let arguments = self.replace_owner(None);
        arguments.into_iter().chain([Box::new(self) as Box<dyn Send>])
    }
}
