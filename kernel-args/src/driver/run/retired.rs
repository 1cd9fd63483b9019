//! Memory that any thread retires while a run records.

use crate::{lock::lock, memory::bind_for_drops};
use cudarc::driver::CudaStream;
use std::sync::{Arc, Mutex, Weak};

/// What was retired on the stream of a sequence while a run records; `None` while none does.
#[derive(Default)]
pub(crate) struct Retired(Mutex<Option<Vec<Arc<dyn Send + Sync>>>>);

/// The handles of a stream and its context.
type Handles = (usize, usize);

fn handles(stream: &CudaStream) -> Handles {
    (stream.cu_stream().addr(), stream.context().cu_ctx().addr())
}

/// The sequences whose steps use memory that they neither hold nor own. Each keeps its stream alive. While this or a
/// [`Retired`] is locked, no value is dropped and no other lock is taken.
static SEQUENCES: Mutex<Vec<(Handles, Weak<Retired>)>> = Mutex::new(Vec::new());

impl Retired {
    /// For a sequence on this stream.
    pub(crate) fn new(stream: &CudaStream) -> Arc<Self> {
        let retired = Arc::default();
        let mut sequences = lock(&SEQUENCES);
        sequences.retain(|(_, sequence)| sequence.strong_count() > 0);
        sequences.push((handles(stream), Arc::downgrade(&retired)));
        retired
    }

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
    // A sequence that is dropped meanwhile leaves its values to this function, which drops them without the lock.
    let sequences: Vec<Arc<Retired>> = lock(&SEQUENCES)
        .iter()
        .filter(|(stream, _)| *stream == on)
        .filter_map(|(_, sequence)| sequence.upgrade())
        .collect();
    for sequence in sequences {
        if let Some(values) = &mut *lock(&sequence.0) {
            values.push(value.clone());
        }
    }
    bind_for_drops(stream);
}
