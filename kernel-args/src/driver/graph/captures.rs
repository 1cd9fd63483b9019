//! Which capture a graph of cudarc results from. The driver does not report the capture of a graph, and reuses the handles
//! of destroyed graphs and of their nodes.

use super::owner::Slot;
use crate::driver::api::{GraphId, GraphRef, Handle};
use cudarc::driver::sys::CUgraph_st;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    vec::Vec,
};

/// A graph with a captured node of this crate.
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

/// The captured graphs, in the order of their captures.
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
    captures.push(Captured {
        graph: graph.handle(),
        capture: graph.id(),
        slot: Arc::downgrade(slot),
    });
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
