//! Objects that launches use, and that are no slices of cudarc: textures and surfaces.

use super::AppendList;
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, SyncOnDrop, sys::CUdeviceptr};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

pub(crate) trait Tracked: Send + Sync + 'static {
    fn context(&self) -> &Arc<CudaContext>;

    /// Returns the address and the size of its memory. An array has the number of its handle as its address.
    #[cfg_attr(not(feature = "graphs"), allow(dead_code, reason = "for sequences"))]
    fn memory(&self) -> (CUdeviceptr, usize);

    /// `stream` waits for the earlier uses that the next one depends on. The guard records the next use.
    fn enter<'t>(&'t self, stream: &'t CudaStream, writes: bool) -> SyncOnDrop<'t>;
}

/// The uses of an object, an event for each stream: every use is recorded until the object is destroyed.
///
/// cudarc keeps one event for all reads of a slice, so a read on a second stream hides the read on the first one.
pub(crate) struct ObjectUses {
    streams: AppendList<StreamUses>,
    /// There was a use for which no event was recorded.
    has_unrecorded: AtomicBool,
}

struct StreamUses {
    /// The number of its handle. It can be destroyed, and a new stream can have the same handle.
    stream: usize,
    read: CudaEvent,
    write: CudaEvent,
}

impl Default for ObjectUses {
    fn default() -> Self {
        Self { streams: AppendList::new(), has_unrecorded: AtomicBool::new(false) }
    }
}

impl ObjectUses {
    fn on(&self, stream: &CudaStream) -> Result<&StreamUses, DriverError> {
        let handle = stream.cu_stream().addr();
        if let Some(known) = self.streams.iter().find(|uses| uses.stream == handle) {
            return Ok(known);
        }
        let event = || stream.context().new_event(None);
        let uses = StreamUses { stream: handle, read: event()?, write: event()? };
        Ok(self.streams.push(uses, |one, new| one.stream == new.stream))
    }

    /// See [`Tracked::enter`]. Like cudarc, it does nothing while a program has only the default stream, and stores
    /// errors in the context of the stream.
    pub(crate) fn enter<'t>(&'t self, stream: &'t CudaStream, writes: bool) -> SyncOnDrop<'t> {
        let context = stream.context();
        let own = context.is_managing_stream_synchronization().then(|| self.on(stream));
        let own = match own {
            Some(Ok(own)) => own,
            failed => {
                context.record_err(failed.map_or(Ok(()), |own| own.map(drop)));
                self.has_unrecorded.store(true, Ordering::Relaxed);
                return SyncOnDrop::Record(None);
            }
        };
        for uses in self.streams.iter() {
            let mut outcome = stream.wait(&uses.write);
            // The event of the own stream is recorded again. It can belong to a destroyed stream with the same handle.
            if writes || core::ptr::eq(uses, own) {
                outcome = outcome.and(stream.wait(&uses.read));
            }
            context.record_err(outcome);
        }
        SyncOnDrop::Record(Some((if writes { &own.write } else { &own.read }, stream)))
    }

    /// Returns the events of all recorded uses; `None` if there was a use without an event.
    pub(crate) fn events(&self) -> Option<impl Iterator<Item = &CudaEvent>> {
        let all_recorded = !self.has_unrecorded.load(Ordering::Relaxed);
        all_recorded.then(|| self.streams.iter().flat_map(|uses| [&uses.read, &uses.write]))
    }
}
