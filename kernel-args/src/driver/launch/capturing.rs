//! Launches on streams that are being captured: the graph keeps no memory that their arguments borrow.

use super::{enclosing, explain, node_slot::NodeSlot};
use crate::{
    driver::{
        api::{GraphId, NodeId, api},
        context::bind,
        error::Error,
        function::Names,
        watched::{enter_closure, leave_closure},
    },
    lock::lock,
    marshal::LaunchStream,
};
use cudarc::driver::CudaStream;
use std::sync::{Arc, Mutex};

/// The captures that [`Graph::capture`](crate::graph::Graph::capture) and its `unsafe` form make. No code that can
/// panic runs while it is locked.
static CAPTURES: Mutex<Vec<Captured>> = Mutex::new(Vec::new());

struct Captured {
    /// It is never used again (CUDA Driver API, `cuStreamGetCaptureInfo`).
    id: GraphId,
    keeper: Keeper,
    slots: CapturedSlots,
}

/// The slots of the launches of a capture. A launch that has failed may have no known node.
pub(crate) type CapturedSlots = Vec<(Option<NodeId>, Arc<NodeSlot>)>;

/// Who keeps the memory of the captured work allocated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// The graph, which keeps only arguments of launches with `node`.
    Graph,
    /// The caller has promised it.
    Caller,
}

/// An entry of `CAPTURES`. While one exists, each launch of each thread finds out whether its stream is being captured.
pub(crate) struct RegisteredCapture(Option<GraphId>);

impl RegisteredCapture {
    /// `begin` begins the capture, and returns its id. A launch of another thread waits until it is known.
    pub(crate) fn begin(keeper: Keeper, begin: impl FnOnce() -> Result<Option<GraphId>, Error>) -> Result<Self, Error> {
        enter_closure();
        let mut own = Self(None);
        let mut captures = lock(&CAPTURES);
        own.0 = begin()?;
        captures.extend(own.0.map(|id| Captured { id, keeper, slots: Vec::new() }));
        Ok(own)
    }

    pub(crate) fn end(&mut self) -> CapturedSlots {
        let mut captures = lock(&CAPTURES);
        let index = self.0.take().and_then(|id| captures.iter().position(|capture| capture.id == id));
        index.map(|index| captures.swap_remove(index).slots).unwrap_or_default()
    }
}

impl Drop for RegisteredCapture {
    fn drop(&mut self) {
        drop(self.end());
        leave_closure();
    }
}

/// Adds the slot of a launch; returns whether a capture of this crate has this id.
pub(crate) fn add_slot(id: GraphId, slot: &Arc<NodeSlot>) -> bool {
    let mut captures = lock(&CAPTURES);
    let capture = captures.iter_mut().find(|capture| capture.id == id);
    capture.map(|capture| capture.slots.push((None, slot.clone()))).is_some()
}

/// The node of a launch is known. If the capture has ended meanwhile, its graph retains the slot for no known node.
pub(crate) fn set_node(id: GraphId, slot: &Arc<NodeSlot>, node: NodeId) {
    let mut captures = lock(&CAPTURES);
    let slots = captures.iter_mut().filter(|capture| capture.id == id).flat_map(|capture| &mut capture.slots);
    slots.filter(|(_, one)| Arc::ptr_eq(one, slot)).for_each(|(known, _)| *known = Some(node));
}

/// Who keeps the memory of work on this stream, if a capture of this crate captures it.
fn keeper(stream: &CudaStream) -> Result<Option<Keeper>, Error> {
    let captures = lock(&CAPTURES);
    if captures.is_empty() {
        return Ok(None);
    }
    let api = api()?;
    // Another thread can launch without a context of its own.
    bind(api, stream.context())?;
    let info = api.capture_info(stream)?;
    let is_own = |capture: &&Captured| info.as_ref().is_some_and(|info| info.id == capture.id);
    Ok(captures.iter().find(is_own).map(|capture| capture.keeper))
}

/// Returns whether somebody has promised that the memory of work on this stream, which is being captured, stays
/// allocated.
pub(crate) fn is_promised(stream: &CudaStream) -> Result<bool, Error> {
    Ok(keeper(stream)? == Some(Keeper::Caller))
}

/// Checks that a launch is part of what its thread records or captures, and has no memory that a captured graph would
/// need and not keep. `report` reports the contexts of the arguments.
#[cold]
pub(crate) fn check_place(
    stream: Option<&CudaStream>,
    report: &dyn Fn(&LaunchStream<'_>),
    names: Names,
    what: &dyn Fn() -> String,
) -> Result<(), Error> {
    enclosing::check(stream, what)?;
    if stream.map(keeper).transpose()?.flatten() != Some(Keeper::Graph) {
        return Ok(());
    }
    let probe = LaunchStream::in_no_context();
    report(&probe);
    match probe.foreign_field() {
        Some(field) => Err(explain::not_kept(what(), names.get(field).unwrap_or_default())),
        None => Ok(()),
    }
}
