//! What keeps the memory of a node's arguments allocated: user objects of the graph.

use super::{
    explain,
    release::{self, release},
};
use crate::driver::{
    api::{Api, required},
    error::Error,
};
use core::{
    ffi::c_void,
    mem, ptr,
    sync::atomic::{AtomicBool, Ordering},
};
use cudarc::driver::{CudaContext, sys::CUgraph};
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

/// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`
const NO_DESTRUCTOR_SYNC: u32 = 1;
/// `CU_GRAPH_USER_OBJECT_MOVE`: the graph takes over the caller's reference.
const MOVE: u32 = 1;

impl Slot {
    /// Makes a slot that `graph` holds, and that holds `kept`.
    ///
    /// # Safety
    /// `graph` is alive.
    pub(super) unsafe fn retained_by(
        api: &'static Api,
        graph: CUgraph,
        context: &Arc<CudaContext>,
        kept: Box<dyn Send + Sync>,
    ) -> Result<Arc<Self>, Error> {
        let create = required!(api, cuUserObjectCreate)?;
        let retain = required!(api, cuGraphRetainUserObject)?;
        let release = required!(api, cuUserObjectRelease)?;
        if !release::start() {
            return Err(explain::no_thread(None, explain::RETAINED));
        }
        let slot = Arc::new(Self {
            context: context.clone(),
            occupied: AtomicBool::new(false),
            held: Mutex::default(),
            _kept: kept,
        });
        let (mut object, pointer) = (ptr::null_mut(), Arc::into_raw(slot.clone()));
        // SAFETY: `object` outlives the call. `let_go` takes the pointer of an `Arc` that it owns, and is called once.
        let status = unsafe {
            create(
                &raw mut object,
                pointer.cast_mut().cast(),
                let_go,
                1,
                NO_DESTRUCTOR_SYNC,
            )
        };
        if let Err(error) = status.check("cuUserObjectCreate") {
            // SAFETY: the pointer of `into_raw`, which the driver has not taken.
            drop(unsafe { Arc::from_raw(pointer) });
            return Err(error);
        }
        // SAFETY: the caller vouches for the graph; the object has one reference, which the graph takes over.
        let status = unsafe { retain(graph, object, 1, MOVE) };
        status.check("cuGraphRetainUserObject").inspect_err(|_| {
            // SAFETY: the graph has not taken the reference.
            unsafe { release(object, 1) };
        })?;
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

/// The destructor of the user object. The driver may call it on a thread of its own; it does not call CUDA, and does not
/// unwind.
///
/// # Safety
/// `slot` is the pointer of an `Arc<Slot>`, which this takes over.
unsafe extern "C" fn let_go(slot: *mut c_void) {
    // SAFETY: the caller's promise.
    let slot = unsafe { Arc::from_raw(slot.cast::<Slot>().cast_const()) };
    let held = {
        let mut held = slot.held();
        held.closed = true;
        (held.arguments.take(), mem::take(&mut held.former))
    };
    let context = slot.context.clone();
    // The slot itself may be the last that keeps a module loaded.
    release(Box::new((held, slot)), context, None);
}
