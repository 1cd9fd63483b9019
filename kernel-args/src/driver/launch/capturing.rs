//! Launches on streams that are being captured: the graph keeps no memory that their arguments borrow.

use super::{enclosing, explain};
use crate::{
    driver::{
        api::{GraphId, api},
        context::bind,
        error::Error,
        function::Names,
        watched::{enter_closure, leave_closure},
    },
    marshal::LaunchStream,
};
use cudarc::driver::CudaStream;
use std::{
    string::String,
    sync::{Mutex, MutexGuard, PoisonError},
    vec::Vec,
};

/// The captures that [`Graph::capture`](crate::graph::Graph::capture) and its `unsafe` form make. An id is never used
/// again (CUDA Driver API, `cuStreamGetCaptureInfo`).
static CAPTURES: Mutex<Vec<(GraphId, Keeper)>> = Mutex::new(Vec::new());

/// Who keeps the memory of the captured work allocated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// The graph, which keeps only arguments of launches with `node`.
    Graph,
    /// The caller has promised it.
    Caller,
}

fn captures() -> MutexGuard<'static, Vec<(GraphId, Keeper)>> {
    // No code that can panic runs while it is locked.
    CAPTURES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A capture of this crate. While one exists, each launch of each thread finds out whether its stream is being
/// captured.
pub(crate) struct Captured(Option<GraphId>);

impl Captured {
    /// `begin` begins the capture, and returns its id. A launch of another thread waits until it is known.
    pub(crate) fn begin(
        keeper: Keeper,
        begin: impl FnOnce() -> Result<Option<GraphId>, Error>,
    ) -> Result<(Self, Option<GraphId>), Error> {
        enter_closure();
        let mut own = Self(None);
        let mut captures = captures();
        let id = begin()?;
        captures.extend(id.map(|id| (id, keeper)));
        drop(captures);
        own.0 = id;
        Ok((own, id))
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if let Some(id) = self.0 {
            captures().retain(|(own, _)| *own != id);
        }
        leave_closure();
    }
}

/// Who keeps the memory of work on this stream, if a capture of this crate captures it.
fn keeper(stream: &CudaStream) -> Result<Option<Keeper>, Error> {
    let captures = captures();
    if captures.is_empty() {
        return Ok(None);
    }
    let api = api()?;
    // Another thread can launch without a context of its own.
    bind(api, stream.context())?;
    let info = api.capture_info(stream)?;
    let is_own = |(id, _): &&(GraphId, Keeper)| info.as_ref().is_some_and(|info| info.id == *id);
    Ok(captures.iter().find(is_own).map(|(_, keeper)| *keeper))
}

/// Whether somebody has promised that the memory of work on this stream, which is being captured, stays allocated.
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
