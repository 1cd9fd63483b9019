//! The check of a run: between two calls of the run, its stream is captured. What other code enqueues becomes nodes.

use crate::driver::{
    api::api,
    context::make_current,
    error::{Elsewhere, Error, RunError},
    graph::{Capturing, NodeKind},
};
use core::mem;
use cudarc::driver::CudaStream;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Check {
    is_capturing: bool,
    token: Option<Capturing>,
    found: Vec<Elsewhere>,
}

impl Check {
    /// Other code can call the stream from now on. A stream that something else captures is not checked.
    pub(super) fn watch(&mut self, stream: &Arc<CudaStream>) {
        if !self.is_capturing
            && let Ok(api) = api()
            && make_current(stream.context()).is_ok()
        {
            let capturing = Capturing::begin();
            if api.begin_external_capture((&**stream).into()).is_ok() {
                (self.is_capturing, self.token) = (true, capturing);
            }
        }
    }

    /// The run has this number of steps, and its next call can use the stream.
    pub(super) fn pause(&mut self, stream: &Arc<CudaStream>, steps: usize) {
        if !mem::take(&mut self.is_capturing) {
            return;
        }
        let _token = self.token.take();
        let kinds = api().ok().and_then(|api| api.end_capture(stream).ok().flatten()?.kinds().ok());
        let Some(kinds) = kinds else {
            // A call that cudarc could not report has ended the capture.
            let _ = stream.context().check_err();
            return self.found.push(Elsewhere { kind: ENDING, count: 1, steps });
        };
        for kind in kinds {
            let kind = call_of(kind);
            match self.found.iter_mut().find(|found| (found.kind, found.steps) == (kind, steps)) {
                Some(found) => found.count += 1,
                None => self.found.push(Elsewhere { kind, count: 1, steps }),
            }
        }
    }

    /// The error of the run, if other code has used the stream.
    pub(super) fn outcome(&mut self) -> Result<(), Error> {
        let found = mem::take(&mut self.found);
        if found.is_empty() { Ok(()) } else { Err(Error::Run(RunError::Elsewhere { found })) }
    }
}

/// What other code has called to get such a node.
fn call_of(kind: u32) -> &'static str {
    match NodeKind::from_number(kind) {
        NodeKind::KernelLaunch => "launch of a kernel",
        NodeKind::Host => "call of a host function",
        NodeKind::ChildGraph => "launch of a graph",
        NodeKind::Empty => "empty operation",
        NodeKind::Other(_) => "another operation",
        kind => kind.name(),
    }
}

const ENDING: &str = "synchronization, free, or another call that a capture cannot have";
