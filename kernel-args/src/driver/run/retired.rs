//! Memory that any thread retires while a run records.

use crate::memory::bind_for_drops;
use cudarc::driver::CudaStream;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    vec::Vec,
};

/// What was retired on the stream of a sequence while a run records; `None` while none does.
#[derive(Default)]
pub(crate) struct Retired(Mutex<Option<Vec<Arc<dyn Send + Sync>>>>);

/// The handles of a stream and its context.
type Handles = (usize, usize);

fn handles(stream: &CudaStream) -> Handles {
    (stream.cu_stream().addr(), stream.context().cu_ctx().addr())
}

/// The sequences whose steps use memory that they neither hold nor own. Each keeps its stream alive.
static SEQUENCES: Mutex<Vec<(Handles, Weak<Retired>)>> = Mutex::new(Vec::new());

/// While it is locked, no value is dropped and no other lock is taken.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Retired {
    /// For a sequence on this stream.
    pub(crate) fn new(stream: &CudaStream) -> Arc<Self> {
        let retired = Arc::default();
        let mut sequences = lock(&SEQUENCES);
        sequences.retain(|(_, sequence)| sequence.strong_count() > 0);
        sequences.push((handles(stream), Arc::downgrade(&retired)));
        retired
    }

    /// A run records from now on.
    pub(crate) fn begin(&self) {
        lock(&self.0).get_or_insert_default();
    }

    /// The run is over. The caller drops the values behind its work.
    pub(crate) fn end(&self) -> Vec<Arc<dyn Send + Sync>> {
        lock(&self.0).take().unwrap_or_default()
    }
}

/// Drops a value now, or when all runs are over that record on the stream and use memory that they neither hold nor
/// own.
pub(crate) fn retire(value: impl Send + Sync + 'static, stream: &CudaStream) {
    let on = handles(stream);
    let value: Arc<dyn Send + Sync> = Arc::new(value);
    let on_stream =
        |(stream, sequence): &(Handles, Weak<Retired>)| if *stream == on { sequence.upgrade() } else { None };
    // A sequence that is dropped meanwhile leaves its values to this function, which drops them without the lock.
    let sequences: Vec<Arc<Retired>> = lock(&SEQUENCES).iter().filter_map(on_stream).collect();
    for sequence in sequences {
        if let Some(values) = &mut *lock(&sequence.0) {
            values.push(value.clone());
        }
    }
    bind_for_drops(stream);
}
