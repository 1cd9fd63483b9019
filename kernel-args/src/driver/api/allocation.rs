//! Device memory.

use crate::memory::{refuse_capture, slice_at};
use cudarc::driver::{CudaSlice, CudaStream, DriverError, result};
use std::sync::Arc;

/// cudarc's `CudaStream::alloc`, which loses the memory if the driver does not create the events of the slice.
///
/// No byte is written: this is the promise of the callers of `alloc`, and the other functions of pools write all bytes.
pub(crate) fn alloc_bytes(stream: &Arc<CudaStream>, bytes: usize) -> Result<CudaSlice<u8>, DriverError> {
    let (context, on) = (stream.context(), stream.cu_stream());
    refuse_capture(stream)?;
    context.bind_to_thread()?;
    let address = if context.has_async_alloc() {
        // SAFETY: the stream belongs to the context.
        unsafe { result::malloc_async(on, bytes) }
    } else {
        // SAFETY: the context is current.
        unsafe { result::malloc_sync(bytes) }
    }?;
    // SAFETY: the memory has this size, and belongs to the slice.
    let slice = unsafe { slice_at(stream, address, bytes) };
    let slice = slice.inspect_err(|_| {
        // SAFETY: nothing uses it. `cuMemFree` frees memory of both functions.
        let _ = unsafe { result::free_sync(address) };
    })?;
    // A different thread can have begun a capture. Then the drop of the slice is also part of it.
    refuse_capture(stream)?;
    Ok(slice)
}
