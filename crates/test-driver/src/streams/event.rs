//! Events. All work completes before the call that enqueues it returns, so a recorded event is always complete.

use std::{ffi::c_uint, time::Instant};

use crate::{
    entry::Out,
    error::{Outcome, Status},
    handle::Handle,
    state::Driver,
};

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) context: Handle,
    flags: c_uint,
    recorded: Option<Instant>,
    /// The capture in which it was last recorded, and the captured nodes that it depends on.
    captured: Option<(Handle, Vec<Handle>)>,
}

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: c_uint = 2;
/// `CU_EVENT_BLOCKING_SYNC`, `CU_EVENT_DISABLE_TIMING`, `CU_EVENT_INTERPROCESS`.
const KNOWN_FLAGS: c_uint = 7;

impl Event {
    /// Returns whether it was created without `CU_EVENT_DISABLE_TIMING`.
    pub(crate) fn records_times(&self) -> bool {
        self.flags & DISABLE_TIMING == 0
    }
}

impl Driver {
    /// Returns the event. Fails if its context has failed or if it belongs to captured work. Querying such an event
    /// invalidates the capture. After the capture is invalidated or has ended, the event returns
    /// `CUDA_ERROR_INVALID_VALUE` until it is recorded again (seen on driver 580).
    fn settled_event(&mut self, event: Handle) -> Outcome<&Event> {
        let held = self.events.get(event)?;
        self.check(held.context)?;
        if let Some(capture) = self.capture_of(event)? {
            return Err(self.break_capture(capture, Status::CAPTURED_EVENT));
        }
        self.events.get(event)
    }

    /// Returns the active capture of the event.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if its capture is invalidated or has ended.
    fn capture_of(&self, event: Handle) -> Outcome<Option<Handle>> {
        match &self.events.get(event)?.captured {
            None => Ok(None),
            Some((capture, _)) if self.is_capturing(*capture) => Ok(Some(*capture)),
            Some(_) => Err(Status::INVALID_VALUE),
        }
    }

    pub(crate) fn record_event(&mut self, event: Handle, stream: Handle) -> Outcome {
        let target = self.stream_target(stream)?;
        self.check(target.context)?;
        if self.events.get(event)?.context != target.context {
            return Err(Status::INVALID_HANDLE);
        }
        let captured = match target.capture {
            Some(capture) => Some((capture, self.frontier(capture, stream)?)),
            None => None,
        };
        let held = self.events.get_mut(event)?;
        held.recorded = Some(Instant::now());
        held.captured = captured;
        Ok(())
    }

    /// A node of a graph records the event.
    pub(crate) fn event_happens(&mut self, event: Handle) -> Outcome {
        let held = self.events.get_mut(event)?;
        held.recorded = Some(Instant::now());
        held.captured = None;
        Ok(())
    }

    /// Makes `stream` wait for `event`. Waiting for an event of a capture adds the stream to this capture.
    pub(crate) fn wait_for_event(&mut self, stream: Handle, event: Handle) -> Outcome {
        let target = self.stream_target(stream)?;
        self.check(target.context)?;
        self.capture_of(event)?;
        let held = self.events.get(event)?;
        let captured = held.captured.clone();
        match (target.capture, captured) {
            (Some(capture), None) if held.recorded.is_some() => {
                Err(self.break_capture(capture, Status::STREAM_CAPTURE_ISOLATION))
            }
            (_, None) => Ok(()),
            (None, Some((capture, _))) if target.legacy => {
                Err(self.break_capture(capture, Status::STREAM_CAPTURE_IMPLICIT))
            }
            (Some(own), Some((other, _))) if own != other => {
                self.invalidate(other);
                Err(self.break_capture(own, Status::STREAM_CAPTURE_MERGE))
            }
            (_, Some((capture, nodes))) => self.join_capture(capture, stream, &nodes),
        }
    }

    fn elapsed(&mut self, start: Handle, end: Handle) -> Outcome<f32> {
        self.settled_event(start)?;
        self.settled_event(end)?;
        let (start, end) = (self.events.get(start)?, self.events.get(end)?);
        if (start.flags | end.flags) & DISABLE_TIMING != 0 {
            return Err(Status::INVALID_HANDLE);
        }
        let (Some(start), Some(end)) = (start.recorded, end.recorded) else {
            return Err(Status::INVALID_HANDLE);
        };
        Ok(end.saturating_duration_since(start).as_secs_f32() * 1e3)
    }
}

entry_points! {
    fn cuEventCreate(driver, event: Out<Handle>, flags: c_uint) {
        if flags & !KNOWN_FLAGS != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let context = driver.healthy()?;
        event.set(Handle::NULL)?;
        event.set(driver.events.insert(Event { context, flags, recorded: None, captured: None }))
    }

    fn cuEventDestroy_v2(driver, event: Handle) {
        // The event is removed in both cases, and the context's error is still reported.
        let held = driver.events.remove(event)?;
        driver.check(held.context)
    }

    fn cuEventRecord(driver, event: Handle, stream: Handle) {
        driver.record_event(event, stream)
    }

    fn cuEventSynchronize(driver, event: Handle) {
        driver.settled_event(event).map(drop)
    }

    fn cuEventQuery(driver, event: Handle) {
        driver.settled_event(event).map(drop)
    }

    fn cuEventElapsedTime(driver, milliseconds: Out<f32>, start: Handle, end: Handle) {
        milliseconds.set(driver.elapsed(start, end)?)
    }

    fn cuEventElapsedTime_v2(driver, milliseconds: Out<f32>, start: Handle, end: Handle) {
        milliseconds.set(driver.elapsed(start, end)?)
    }
}
