//! Streams. Work runs immediately and in order, so a stream is never busy.

use std::ffi::{c_int, c_uint, c_void};

use crate::{
    entry::{HostCall, Out},
    error::{Outcome, Status},
    handle::Handle,
    state::{Driver, Operation, this_thread},
};

/// A stream made by `cuStreamCreate`.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) context: Handle,
    pub(crate) flags: c_uint,
    /// The capture in which it participates.
    pub(crate) capture: Option<Handle>,
    /// The green context whose multiprocessors run its kernels.
    pub(crate) green: Option<Handle>,
}

/// The target of work on a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) stream: Handle,
    pub(crate) context: Handle,
    pub(crate) capture: Option<Handle>,
    /// The legacy default stream, which every blocking stream synchronizes with.
    pub(crate) legacy: bool,
}

/// `CU_STREAM_NON_BLOCKING`.
pub(crate) const NON_BLOCKING: c_uint = 1;
/// `CU_STREAM_LEGACY` and `CU_STREAM_PER_THREAD`: handles of the current context's default streams.
const LEGACY: Handle = Handle(1);
const PER_THREAD: Handle = Handle(2);

impl Stream {
    /// Returns whether it synchronizes with the legacy default stream.
    pub(crate) fn is_blocking(&self) -> bool {
        self.flags & NON_BLOCKING == 0
    }
}

impl Driver {
    /// Returns the context and the capture behind a stream handle.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CONTEXT` for a default stream without a current context, `CUDA_ERROR_INVALID_HANDLE` for an
    /// invalid stream.
    pub(crate) fn stream_target(&self, stream: Handle) -> Outcome<Target> {
        if stream.is_null() || stream == LEGACY || stream == PER_THREAD {
            let context = self.current()?;
            let own = self.per_thread.get(&(this_thread(), context)).filter(|_| stream == PER_THREAD);
            let captured = own.and_then(|own| Some((*own, self.streams.get(*own).ok()?.capture?)));
            let (stream, capture) = captured.map_or((stream, None), |(own, capture)| (own, Some(capture)));
            return Ok(Target { stream, context, capture, legacy: stream == LEGACY || stream.is_null() });
        }
        // Without any context a real driver does not check the stream.
        self.current()?;
        let held = self.streams.get(stream)?;
        Ok(Target { stream, context: held.context, capture: held.capture, legacy: false })
    }

    /// Returns the object of a stream: the default stream of a thread has one from its first capture on.
    pub(crate) fn object(&mut self, stream: Handle) -> Outcome<Handle> {
        if stream != PER_THREAD {
            return Ok(stream);
        }
        let context = self.current()?;
        let key = (this_thread(), context);
        let known = self.per_thread.get(&key).copied().filter(|own| self.streams.get(*own).is_ok());
        Ok(known.unwrap_or_else(|| {
            let own = self.streams.insert(Stream { context, flags: 0, capture: None, green: None });
            self.per_thread.insert(key, own);
            own
        }))
    }

    fn create_stream(&mut self, handle: Out<Handle>, flags: c_uint) -> Outcome {
        if flags > NON_BLOCKING {
            return Err(Status::INVALID_VALUE);
        }
        let context = self.healthy()?;
        handle.set(Handle::NULL)?;
        let stream = Stream { context, flags, capture: None, green: None };
        handle.set(self.streams.insert(stream))
    }
}

entry_points! {
    fn cuStreamCreate(driver, stream: Out<Handle>, flags: c_uint) {
        driver.create_stream(stream, flags)
    }

    fn cuStreamCreateWithPriority(driver, stream: Out<Handle>, flags: c_uint, _priority: c_int) {
        driver.create_stream(stream, flags)
    }

    fn cuStreamDestroy_v2(driver, stream: Handle) {
        let held = driver.streams.remove(stream)?;
        if let Some(capture) = held.capture {
            driver.invalidate(capture);
        }
        Ok(())
    }

    fn cuStreamGetCtx(driver, stream: Handle, context: Out<Handle>) {
        context.set(driver.stream_target(stream)?.context)
    }

    fn cuStreamGetGreenCtx(driver, stream: Handle, green: Out<Handle>) {
        green.set(driver.streams.get(stream)?.green.unwrap_or_default())
    }

    fn cuStreamSynchronize(driver, stream: Handle) {
        let target = driver.stream_target(stream)?;
        driver.check(target.context)?;
        match target.capture {
            Some(capture) => Err(driver.break_capture(capture, Status::STREAM_CAPTURE_UNSUPPORTED)),
            None if target.legacy => driver.refuse_implicit_dependency(target.context),
            None => Ok(()),
        }
    }

    fn cuStreamWaitEvent(driver, stream: Handle, event: Handle, _flags: c_uint) {
        driver.wait_for_event(stream, event)
    }

    fn cuLaunchHostFunc(
        driver, stream: Handle, function: Option<extern "C" fn(*mut c_void)>, argument: Out<c_void>,
    ) {
        let function = function.ok_or(Status::INVALID_VALUE)?;
        driver.submit(stream, Operation::Host(HostCall { function, argument: argument.address() }))
    }

    fn cuStreamWriteValue32_v2(driver, stream: Handle, address: u64, value: c_uint, _flags: c_uint) {
        if !address.is_multiple_of(4) || !driver.memory.holds(address, 4) {
            return Err(Status::INVALID_VALUE);
        }
        let pattern = value.to_le_bytes().to_vec();
        driver.submit(stream, Operation::Fill { address, pattern, width: 1, height: 1, pitch: 0 })
    }

    fn cuProfilerStart(driver) {
        driver.current().map(drop)
    }

    fn cuProfilerStop(driver) {
        driver.current().map(drop)
    }
}
