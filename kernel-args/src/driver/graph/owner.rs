//! What keeps the memory of a node's arguments allocated: user objects of the graph.

use super::{
    explain,
    release::{self, release},
};
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

/// A value whose drop frees what a node's arguments point at.
pub(super) type Owner = Box<dyn Send>;

/// What one node of a graph holds. The driver holds this as a user object of the graph, and lets it go when the graph, every
/// graph that was instantiated from it, and their launches are over.
pub(super) struct Slot {
    context: Arc<CudaContext>,
    /// Whether there is an owner of arguments.
    occupied: AtomicBool,
    held: Mutex<Held>,
    /// Keeps the kernel loaded, or what else the node needs as long as it is.
    _kept: Box<dyn Send + Sync>,
}

#[derive(Default)]
struct Held {
    arguments: Option<Owner>,
    /// Owners of former arguments, where it is not known when their last launch is over.
    former: Vec<Owner>,
    /// The driver has let this go.
    closed: bool,
}

impl Slot {
    /// Makes a slot that `graph` holds, and that holds `kept`.
    pub(super) fn retained_by(
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
        graph.retain(slot.clone())?;
        Ok(slot)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // No code that may panic runs while it is locked.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is an owner of arguments to be replaced.
    #[inline(always)]
    pub(super) fn is_occupied(&self) -> bool {
        self.occupied.load(Ordering::Relaxed)
    }

    /// Holds `owner` as the owner of the node's arguments; returns the one before.
    pub(super) fn hold(&self, owner: Option<Owner>) -> Option<Owner> {
        self.occupied.store(owner.is_some(), Ordering::Relaxed);
        mem::replace(&mut self.held().arguments, owner)
    }

    /// Holds `owner` until the driver lets this go.
    pub(super) fn keep(&self, owner: Owner) {
        self.held().former.push(owner);
    }

    /// Whether the driver has let this go: then it keeps nothing for a graph.
    pub(super) fn is_closed(&self) -> bool {
        self.held().closed
    }
}

impl UserObject for Slot {
    fn let_go(self: Arc<Self>) {
        let held = {
            let mut held = self.held();
            held.closed = true;
            (held.arguments.take(), mem::take(&mut held.former))
        };
        let context = self.context.clone();
        // The slot itself may be the last that keeps a module loaded.
        release(Box::new((held, self)), context, None);
    }
}
