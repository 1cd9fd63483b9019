//! `retire`: frees memory behind the runs that use it.

use crate::{driver::run, memory::DeviceMemory};
use cudarc::driver::CudaSlice;

/// Frees a slice of cudarc or of a pool, from any thread: now, or behind the run that records on its stream.
///
/// It is for a framework that guarantees its memory with [`assume_all_held`](super::Run::assume_all_held) or
/// [`assume_held`](super::Run::assume_held). While a run that uses a tensor records, a different thread can drop the
/// last owner of the tensor. So the `Drop` of the tensor passes its slice to this function.
///
/// If several runs record on the stream, the slice is freed when all of them are over: enqueued or given up, on any
/// thread. Without such a run, it is dropped as usual.
///
/// It is freed in the order of its stream, so this is enough for runs on the stream of the slice. A run on a different
/// stream needs [`Run::keep`](super::Run::keep), and so does a `UnifiedSlice`, which no stream frees. If the run
/// becomes part of a capture, the slice is freed after the capture.
///
/// ```no_run
/// use cudarc::driver::CudaSlice;
/// use kernel_args::sequence::retire;
///
/// struct Tensor(Option<CudaSlice<f32>>);
///
/// impl Drop for Tensor {
///     fn drop(&mut self) {
///         if let Some(slice) = self.0.take() {
///             retire(slice);
///         }
///     }
/// }
/// ```
pub fn retire<T>(slice: impl DeviceMemory<T, Slice = CudaSlice<T>> + Send + Sync + 'static) {
    let stream = slice.slice().stream().clone();
    run::retire(slice, &stream);
}
