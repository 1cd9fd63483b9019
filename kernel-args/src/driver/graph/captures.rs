//! Which captures this crate has begun, and which capture a graph of cudarc results from. The driver does not report the capture of a
//! graph, and reuses the handles of destroyed graphs and of their nodes.

use super::owner::Slot;
use crate::driver::api::{GraphId, GraphRef, Handle, NodeId};
use core::mem;
use cudarc::driver::sys::CUgraph_st;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    vec::Vec,
};

/// The slots of a capture that this crate has begun, each with its node. A launch that has failed may have no known node.
#[derive(Default)]
pub(super) struct CapturedSlots(Mutex<Vec<(Option<NodeId>, Arc<Slot>)>>);

impl CapturedSlots {
    pub(super) fn add(&self, node: Option<NodeId>, slot: &Arc<Slot>) {
        self.lock().push((node, slot.clone()));
    }

    pub(super) fn take(&self) -> Vec<(Option<NodeId>, Arc<Slot>)> {
        mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Option<NodeId>, Arc<Slot>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The captures that this crate has begun. An id is never used again (CUDA Driver API, `cuStreamGetCaptureInfo`).
static OWN: Mutex<Vec<(GraphId, Weak<CapturedSlots>)>> = Mutex::new(Vec::new());

/// This crate has begun the capture `id`.
pub(super) fn begun(id: GraphId) -> Arc<CapturedSlots> {
    let slots = Arc::default();
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    own.retain(|(_, slots)| slots.strong_count() > 0);
    own.push((id, Arc::downgrade(&slots)));
    slots
}

/// The slots of the capture `id`; `None` if other code has begun it.
pub(super) fn own(id: GraphId) -> Option<Arc<CapturedSlots>> {
    let own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = own.iter().find(|(begun, _)| *begun == id)?;
    found.1.upgrade()
}

/// A graph of cudarc with a captured node of this crate.
struct Captured {
    graph: Handle<CUgraph_st>,
    capture: GraphId,
    /// A slot of the graph: the driver closes it when the graph no longer exists.
    slot: Weak<Slot>,
}

impl Captured {
    fn exists(&self) -> bool {
        self.slot.upgrade().is_some_and(|slot| !slot.is_closed())
    }
}

/// The graphs that cudarc captures, in the order of their captures.
static CAPTURES: Mutex<Vec<Captured>> = Mutex::new(Vec::new());

fn captures() -> MutexGuard<'static, Vec<Captured>> {
    // No code that can panic runs while it is locked.
    CAPTURES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers a graph that is being captured. `slot` is one of its slots.
pub(super) fn add(graph: GraphRef<'_>, slot: &Arc<Slot>) {
    let mut captures = captures();
    // In one thread, the last one is the active capture.
    let mut newest_first = captures.iter().rev();
    if newest_first.any(|one| one.capture == graph.id() && one.exists()) {
        return;
    }
    captures.retain(Captured::exists);
    captures.push(Captured { graph: graph.handle(), capture: graph.id(), slot: Arc::downgrade(slot) });
}

/// The id of the newest capture whose graph has this handle.
///
/// The driver closes the slots of a destroyed graph after its last launch, but its handle can be the handle of a newer graph
/// before. A newer graph with a captured node of this crate is then found, because it is the newest one. A newer graph without one
/// is taken for the destroyed graph: `Exec::of_cudarc` and [`TakenOver`](super::taken_over::TakenOver) are right for both.
pub(super) fn of(graph: Handle<CUgraph_st>) -> Option<GraphId> {
    let captures = captures();
    let mut newest_first = captures.iter().rev();
    let capture = newest_first.find(|one| one.graph == graph && one.exists());
    capture.map(|one| one.capture)
}
