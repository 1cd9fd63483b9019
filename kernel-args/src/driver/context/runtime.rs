//! What the CUDA runtime API makes, and a program passes to launches: its streams and its kernels.

use super::{current::with_current, tracking};
use crate::{
    driver::{
        api::{Alive, api, required},
        error::{ContextError, ContextMismatch, Error},
    },
    marshal::ContextName,
};
use core::{ffi::c_void, fmt, ops::Deref, ptr};
use cudarc::driver::{
    CudaContext, CudaStream,
    sys::{CUfunction, CUstream},
};
use std::{boxed::Box, sync::Arc};

/// A stream that something else owns, such as a `cudaStream_t` of the CUDA runtime.
///
/// It is used as cudarc's stream, which it derefs to.
#[derive(Clone)]
pub struct BorrowedStream {
    stream: Arc<CudaStream>,
    _tracking: Arc<CudaStream>,
}

impl BorrowedStream {
    /// Borrows a stream of `ctx`. A `cudaStream_t` is a `CUstream`: pass it with `.cast()`.
    ///
    /// The driver is asked for the context of the stream. Launches on it wait for the last use of their slices on other streams, and
    /// record their own, like those on a stream of cudarc's. The stream is not destroyed when this is dropped.
    ///
    /// The context that is current on this thread stays so. The runtime makes a stream in the one that is current, and launches leave
    /// that of their kernel current.
    ///
    /// The runtime's default streams need no borrowing: `ctx.default_stream()` is `cudaStreamLegacy`, and
    /// `ctx.per_thread_stream()` is `cudaStreamPerThread`.
    ///
    /// # Errors
    /// [`Error::Context`] where the stream belongs to another context; [`Error::Driver`] where the driver returns an error.
    ///
    /// # Safety
    /// `stream` is a stream that is alive, and stays so as long as this, a clone, and everything that was made with it is.
    pub unsafe fn new(ctx: &Arc<CudaContext>, stream: CUstream) -> Result<Self, Error> {
        let api = api()?;
        required!(api, cuStreamGetCtx)?;
        // SAFETY: the caller vouches that the stream is alive.
        let handle = unsafe { Alive::new(stream) };
        // The driver takes null and the two numbers of default streams for those of the current context.
        with_current(ctx, || {
            let mut owner = ptr::null_mut();
            api.cuStreamGetCtx(handle, &mut owner)?;
            if owner != ctx.cu_ctx() {
                let found = ContextName::of_handle(owner, None);
                let contexts = ContextMismatch::new(ContextName::of(ctx), found);
                return Err(Error::Context(ContextError::ForeignStream(Box::new(
                    contexts,
                ))));
            }
            let tracking = tracking(ctx)?;
            Ok(Self {
                // SAFETY: the stream is one of this context, and the caller keeps it alive.
                stream: unsafe { ctx.wrap_borrowed_stream(stream) },
                _tracking: tracking,
            })
        })?
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

/// The function of a `CUkernel` in `ctx`: what `cuLibraryGetKernel` and the runtime's `cudaGetKernel` give belongs to no context,
/// and is loaded in each one where it is used. Pass a `cudaKernel_t` with `.cast()`. `cuKernelGetFunction`.
///
/// A `cudaFunction_t`, which `cudaGetFuncBySymbol` gives, is a `CUfunction` already.
///
/// [`launch!`](crate::launch!) takes the function, and compares its arguments with the driver's record of the kernel. (The driver's
/// `cuLaunchKernel` also takes a `CUkernel` that is cast to a `CUfunction`; what it can be asked about such a handle is not
/// documented, so this crate does not rely on it.)
///
/// # Errors
/// [`Error::OldDriver`] where the driver is older than 12.0; [`Error::Driver`] where it returns an error.
///
/// # Safety
/// `kernel` is a kernel of a library that is loaded. The function is valid as long as the library is, and the context.
pub unsafe fn kernel_function(
    ctx: &Arc<CudaContext>,
    kernel: *mut c_void,
) -> Result<CUfunction, Error> {
    let api = api()?;
    required!(api, cuKernelGetFunction)?;
    // SAFETY: the caller vouches that the kernel's library is loaded.
    let kernel = unsafe { Alive::new(kernel) };
    with_current(ctx, || {
        let mut function = ptr::null_mut();
        api.cuKernelGetFunction(&mut function, kernel)?;
        Ok(function)
    })?
}
