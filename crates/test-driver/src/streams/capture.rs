//! Stream capture: work on a capturing stream becomes nodes of a graph (CUDA driver API, "Stream management", and the
//! programming guide's chapter on stream capture).

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    ffi::c_uint,
};

use crate::{
    entry::Out,
    error::{Outcome, Status},
    handle::Handle,
    state::{Driver, Operation, this_thread},
};

/// A capture in progress.
#[derive(Debug)]
pub(crate) struct Capture {
    origin: Handle,
    context: Handle,
    mode: Mode,
    thread: u64,
    graph: Handle,
    /// For each participating stream: the dependencies of its next node.
    frontiers: HashMap<Handle, Vec<Handle>>,
    /// An error invalidated it: nothing more is captured, and the end returns no graph.
    invalid: bool,
    /// The arrays that `cuStreamGetCaptureInfo` returns, valid until the next query.
    asked: Vec<Handle>,
}

/// `CUstreamCaptureMode`: which threads can invalidate the capture with an unsafe call during the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Global,
    ThreadLocal,
    Relaxed,
}

impl Mode {
    fn from_number(mode: c_uint) -> Outcome<Self> {
        match mode {
            0 => Ok(Self::Global),
            1 => Ok(Self::ThreadLocal),
            2 => Ok(Self::Relaxed),
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

thread_local! {
    /// `cuThreadExchangeStreamCaptureMode`: which captures restrict the calls of this thread.
    static INTERACTION: Cell<Mode> = const { Cell::new(Mode::Global) };
}

impl Driver {
    /// Adds a node to the capture, after the nodes of `stream`.
    pub(crate) fn capture_operation(
        &mut self,
        capture: Handle,
        stream: Handle,
        operation: Operation,
    ) -> Outcome<Handle> {
        let dependencies = self.frontier(capture, stream)?;
        let graph = self.captures.get(capture)?.graph;
        let node = self.add_node(graph, operation, dependencies)?;
        self.captures.get_mut(capture)?.frontiers.insert(stream, vec![node]);
        Ok(node)
    }

    /// Returns the dependencies of the stream's next node.
    ///
    /// # Errors
    /// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` for an invalidated capture.
    pub(crate) fn frontier(&self, capture: Handle, stream: Handle) -> Outcome<Vec<Handle>> {
        let held = self.captures.get(capture)?;
        if held.invalid {
            return Err(Status::STREAM_CAPTURE_INVALIDATED);
        }
        Ok(held.frontiers.get(&stream).cloned().unwrap_or_default())
    }

    /// Makes `stream` part of the capture. Its next node depends on `nodes`.
    pub(crate) fn join_capture(&mut self, capture: Handle, stream: Handle, nodes: &[Handle]) -> Outcome {
        let stream = self.object(stream)?;
        let mut frontier = self.frontier(capture, stream)?;
        self.streams.get_mut(stream)?.capture = Some(capture);
        let fresh = nodes.iter().filter(|node| !frontier.contains(node)).copied().collect::<Vec<_>>();
        frontier.extend(fresh);
        self.captures.get_mut(capture)?.frontiers.insert(stream, frontier);
        Ok(())
    }

    /// Returns whether the capture is active and valid.
    pub(crate) fn is_capturing(&self, capture: Handle) -> bool {
        self.captures.get(capture).is_ok_and(|held| !held.invalid)
    }

    pub(crate) fn invalidate(&mut self, capture: Handle) {
        if let Ok(held) = self.captures.get_mut(capture) {
            held.invalid = true;
        }
    }

    /// Invalidates the capture and returns the error that reports it.
    pub(crate) fn break_capture(&mut self, capture: Handle, status: Status) -> Status {
        self.invalidate(capture);
        status
    }

    fn break_captures(&mut self, status: Status, which: impl Fn(&Self, &Capture) -> bool) -> Outcome {
        let hit: Vec<Handle> =
            self.captures.iter().filter(|(_, held)| which(self, held)).map(|(capture, _)| capture).collect();
        for capture in &hit {
            self.invalidate(*capture);
        }
        if hit.is_empty() { Ok(()) } else { Err(status) }
    }

    /// For calls that synchronize the whole context.
    pub(crate) fn refuse_while_capturing(&mut self, context: Handle) -> Outcome {
        self.break_captures(Status::STREAM_CAPTURE_UNSUPPORTED, |_, held| held.context == context)
    }

    /// For calls that may synchronize: the capture's mode decides for which threads they fail.
    pub(crate) fn refuse_unsafe_while_capturing(&mut self) -> Outcome {
        let thread = this_thread();
        let interaction = INTERACTION.get();
        self.break_captures(Status::STREAM_CAPTURE_UNSUPPORTED, |_, held| match (held.mode, interaction) {
            (Mode::Relaxed, _) | (_, Mode::Relaxed) => false,
            (Mode::Global, Mode::Global) => true,
            _ => held.thread == thread,
        })
    }

    /// For work on the legacy stream, which would wait for every blocking stream.
    pub(crate) fn refuse_implicit_dependency(&mut self, context: Handle) -> Outcome {
        self.break_captures(Status::STREAM_CAPTURE_IMPLICIT, |driver, held| {
            held.context == context
                && held
                    .frontiers
                    .keys()
                    .any(|stream| driver.streams.get(*stream).is_ok_and(crate::streams::stream::Stream::is_blocking))
        })
    }

    fn begin_capture(&mut self, stream: Handle, mode: c_uint) -> Outcome {
        let mode = Mode::from_number(mode)?;
        let target = self.stream_target(stream)?;
        self.check(target.context)?;
        if target.legacy {
            return Err(Status::STREAM_CAPTURE_UNSUPPORTED);
        }
        if target.capture.is_some() {
            return Err(Status::ILLEGAL_STATE);
        }
        let stream = self.object(stream)?;
        self.streams.get(stream)?;
        let graph = self.new_graph();
        let capture = self.captures.insert(Capture {
            origin: stream,
            context: target.context,
            mode,
            thread: this_thread(),
            graph,
            frontiers: HashMap::from([(stream, Vec::new())]),
            invalid: false,
            asked: Vec::new(),
        });
        self.streams.get_mut(stream)?.capture = Some(capture);
        Ok(())
    }

    /// Ends the capture and returns its graph.
    fn end_capture(&mut self, stream: Handle) -> Outcome<Handle> {
        let target = self.stream_target(stream)?;
        let capture = target.capture.ok_or(Status::ILLEGAL_STATE)?;
        let held = self.captures.get(capture)?;
        if held.origin != target.stream {
            return Err(self.break_capture(capture, Status::STREAM_CAPTURE_UNMATCHED));
        }
        if held.mode != Mode::Relaxed && held.thread != this_thread() {
            return Err(self.break_capture(capture, Status::STREAM_CAPTURE_WRONG_THREAD));
        }
        let verdict = if held.invalid {
            Err(Status::STREAM_CAPTURE_INVALIDATED)
        } else if self.is_joined(held) {
            Ok(held.graph)
        } else {
            Err(Status::STREAM_CAPTURE_UNJOINED)
        };
        let held = self.captures.remove(capture)?;
        for stream in held.frontiers.keys() {
            if let Ok(stream) = self.streams.get_mut(*stream) {
                stream.capture = None;
            }
        }
        if verdict.is_err() {
            self.destroy_graph(held.graph)?;
        }
        verdict
    }

    /// Returns whether the next node of the origin depends on everything captured.
    fn is_joined(&self, capture: &Capture) -> bool {
        let mut reached = HashSet::new();
        let mut open = capture.frontiers.get(&capture.origin).cloned().unwrap_or_default();
        while let Some(node) = open.pop() {
            if reached.insert(node) {
                open.extend(self.nodes.get(node).map(|held| held.dependencies.clone()).unwrap_or_default());
            }
        }
        capture.frontiers.values().flatten().all(|node| reached.contains(node))
    }

    /// `CUstreamCaptureStatus` of a stream, with its capture.
    fn capture_status(&self, stream: Handle) -> Outcome<(c_uint, Option<Handle>)> {
        let capture = self.stream_target(stream)?.capture;
        let status = match capture {
            None => 0,
            Some(capture) if self.captures.get(capture)?.invalid => 2,
            Some(_) => 1,
        };
        Ok((status, capture))
    }

    /// For a capturing stream: the id of the capture, its graph, and the dependencies of the stream's next node.
    fn capture_info(
        &mut self,
        stream: Handle,
        status: Out<c_uint>,
        id: Out<u64>,
        graph: Out<Handle>,
        nodes: Out<usize>,
        count: Out<usize>,
    ) -> Outcome {
        let (state, capture) = self.capture_status(stream)?;
        status.set(state)?;
        let Some(capture) = capture.filter(|_| state == 1) else {
            return Ok(());
        };
        let stream = self.object(stream)?;
        let asked = self.frontier(capture, stream)?;
        let held = self.captures.get_mut(capture)?;
        held.asked = asked;
        // Handles of captures are never reused.
        id.set_if_wanted(capture.0 as u64);
        graph.set_if_wanted(held.graph);
        nodes.set_if_wanted(held.asked.as_ptr().expose_provenance());
        count.set_if_wanted(held.asked.len());
        Ok(())
    }
}

entry_points! {
    fn cuStreamBeginCapture_v2(driver, stream: Handle, mode: c_uint) {
        driver.begin_capture(stream, mode)
    }

    fn cuStreamEndCapture(driver, stream: Handle, graph: Out<Handle>) {
        graph.set(Handle::NULL)?;
        graph.set(driver.end_capture(stream)?)
    }

    fn cuStreamIsCapturing(driver, stream: Handle, status: Out<c_uint>) {
        // After a fault every call returns it (seen on driver 580).
        driver.healthy()?;
        status.set(driver.capture_status(stream)?.0)
    }

    fn cuStreamGetCaptureInfo_v2(
        driver, stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, nodes: Out<usize>,
        count: Out<usize>,
    ) {
        driver.capture_info(stream, status, id, graph, nodes, count)
    }

    fn cuStreamGetCaptureInfo_v3(
        driver, stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, nodes: Out<usize>,
        edges: Out<usize>, count: Out<usize>,
    ) {
        // Edges have no data here.
        edges.set_if_wanted(0);
        driver.capture_info(stream, status, id, graph, nodes, count)
    }

    fn cuThreadExchangeStreamCaptureMode(_driver, mode: Out<c_uint>) {
        let before = INTERACTION.replace(Mode::from_number(mode.get()?)?);
        mode.set(before as c_uint)
    }
}
