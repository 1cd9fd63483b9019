//! Streams and kernels of the CUDA runtime API, for use in launches.

use super::{current::with_current, tracking};
use crate::{
    driver::{
        api::{Alive, api, out},
        config::{AsStream, StreamTarget},
        error::{ContextError, ContextMismatch, Error},
    },
    memory::ContextName,
};
use core::{ffi::c_void, fmt, ops::Deref};
use cudarc::driver::{
    CudaContext, CudaStream,
    sys::{CUfunction, CUstream},
};
use std::sync::Arc;

/// A stream with a different owner, such as a `cudaStream_t` of the CUDA runtime. It derefs to cudarc's stream.
///
/// ```no_run
/// use kernel_args::context::BorrowedStream;
/// # use kernel_args::external::cudarc::driver::sys::CUstream;
/// # let ctx = kernel_args::context(0)?;
/// # let stream: CUstream = todo!();
/// // SAFETY: the C++ code keeps its `stream` alive.
/// let stream = unsafe { BorrowedStream::new(&ctx, stream)? }; // for `launch!(…, stream = &stream)`
/// # drop(stream); Ok::<(), kernel_args::Error>(())
/// ```
#[derive(Clone)]
pub struct BorrowedStream {
    stream: Arc<CudaStream>,
    _tracking: Arc<CudaStream>,
}

impl BorrowedStream {
    /// Borrows a stream of `ctx`. A `cudaStream_t` is a `CUstream`: pass it with `.cast()`.
    ///
    /// Launches on it wait for the last use of their slices on other streams, and record their own use, as on a stream
    /// of cudarc. It is not destroyed when this is dropped.
    ///
    /// The driver reports the context of the stream: the runtime creates it in the current context, which a launch
    /// changes to the context of its kernel. The current context of this thread does not change here.
    ///
    /// The runtime's default streams need no borrowing: `ctx.default_stream()` is `cudaStreamLegacy`, and
    /// `ctx.per_thread_stream()` is `cudaStreamPerThread`.
    ///
    /// # Errors
    /// [`Error::Context`] if the stream belongs to a different context; [`Error::Driver`].
    ///
    /// # Safety
    /// `stream` is a live stream, and stays alive as long as this value, its clones, and everything that was created
    /// with them.
    pub unsafe fn new(ctx: &Arc<CudaContext>, stream: CUstream) -> Result<Self, Error> {
        let api = api()?;
        // SAFETY: the caller guarantees that the stream is alive.
        let handle = unsafe { Alive::new(stream) };
        // For null and the two special handles, the driver uses the default streams of the current context.
        with_current(ctx, || {
            let owner = out(|owner| api.cuStreamGetCtx(handle, owner))?;
            if owner != ctx.cu_ctx() {
                let found = ContextName::of_handle(owner, None);
                let contexts = ContextMismatch::new(ContextName::of(ctx), found);
                return Err(Error::Context(ContextError::OtherContextStream(Box::new(contexts))));
            }
            Ok(Self {
                _tracking: tracking(ctx)?,
                // SAFETY: the stream belongs to this context, and the caller keeps it alive.
                stream: unsafe { ctx.wrap_borrowed_stream(stream) },
            })
        })?
    }
}

impl AsStream for BorrowedStream {
    #[inline]
    fn target(&self) -> StreamTarget<'_> {
        (**self).target()
    }
}

impl Deref for BorrowedStream {
    type Target = Arc<CudaStream>;

    fn deref(&self) -> &Arc<CudaStream> {
        &self.stream
    }
}

impl fmt::Debug for BorrowedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BorrowedStream").field(&self.stream).finish()
    }
}

/// Returns the function of a `CUkernel` in `ctx`: `cuKernelGetFunction`. A kernel from `cuLibraryGetKernel` or the
/// runtime's `cudaGetKernel` (pass it with `.cast()`) belongs to no context; the driver loads it in each context that
/// uses it.
///
/// [`launch!`](crate::launch!) takes the function, and compares its arguments with the driver's record of the kernel.
///
/// # Errors
/// [`Error::OldDriver`] if the driver is older than 12.0; [`Error::Driver`].
///
/// # Safety
/// `kernel` is a kernel of a loaded library. The function is valid as long as the library and the context.
pub unsafe fn kernel_function(ctx: &Arc<CudaContext>, kernel: *mut c_void) -> Result<CUfunction, Error> {
    let api = api()?;
    // SAFETY: the caller guarantees that the kernel's library is loaded.
    let kernel = unsafe { Alive::new(kernel) };
    Ok(with_current(ctx, || out(|function| api.cuKernelGetFunction(function, kernel)))??)
}
