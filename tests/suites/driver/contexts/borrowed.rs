//! Streams and kernels with a foreign owner, such as the CUDA runtime.

use crate::contexts::saxpy::{Counted, Outcome, SAXPY, Saxpy};
use cudarc::driver::{
    CudaContext, result,
    sys::{self, CUkernel, CUlibrary, CUstream},
};
use kernel_args::{ArgList, Kernel, KernelArgs};
use kernel_args::{
    Error,
    context::{
        BorrowedStream, ContextFlags, ContextName, create_context, current_context, kernel_function, with_current,
    },
    error::{ContextError, VerifyError},
    launch,
};
use kernel_args_tests::driver::{context, device, trial};
use libtest_mimic::Trial;
use std::{ffi::CString, ptr, sync::Arc};

/// A stream that this test owns.
struct Raw(CUstream, Arc<CudaContext>);

impl Raw {
    fn new(ctx: &Arc<CudaContext>) -> Result<Self, Error> {
        let stream = with_current(ctx, || result::stream::create(result::stream::StreamKind::NonBlocking))??;
        Ok(Self(stream, ctx.clone()))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.1.bind_to_thread().expect("the context is alive");
        // SAFETY: only this value owns the stream.
        unsafe { result::stream::destroy(self.0) }.expect("it is a stream");
    }
}

/// A launch on it waits for slices of other streams, and other streams wait for it, even if it is the only stream of
/// the context.
fn a_borrowed_stream_is_ordered() -> Outcome {
    let ctx = create_context(device(), ContextFlags::new())?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let mut counted = Counted::new(&ctx.default_stream())?;
    let raw = Raw::new(&ctx)?;
    assert!(!ctx.is_managing_stream_synchronization());
    // SAFETY: the stream outlives all objects that use it.
    let stream = unsafe { BorrowedStream::new(&ctx, raw.0)? };
    assert!(ctx.is_managing_stream_synchronization());
    for _ in 0..3 {
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, 8, 128, counted.args(), stream = &stream)? };
    }
    counted.added(3)?;
    // It can be used as a cudarc stream.
    let copy = stream.clone_dtoh(&counted.y)?;
    assert_eq!(copy.first().map(ToString::to_string).as_deref(), Some("3"));
    drop(stream);
    // It was not destroyed.
    // SAFETY: the stream is alive.
    unsafe { result::stream::synchronize(raw.0)? };
    Ok(())
}

fn a_stream_of_another_context_is_refused() -> Outcome {
    let (ctx, other) = (context()?, create_context(device(), ContextFlags::new())?);
    ctx.bind_to_thread()?;
    let raw = Raw::new(&other)?;
    // SAFETY: the stream outlives all objects that use it.
    let borrowed = unsafe { BorrowedStream::new(&other, raw.0)? };
    assert_eq!(current_context()?, Some(ContextName::of(&ctx)));
    drop(borrowed);
    ctx.bind_to_thread()?;
    // SAFETY: the stream outlives all objects that use it.
    let error = unsafe { BorrowedStream::new(&ctx, raw.0) }.expect_err("of another context");
    let Error::Context(ContextError::OtherContextStream(contexts)) = &error else {
        return Err(error.into());
    };
    assert_eq!(contexts.found, ContextName::of(&other));
    assert_eq!(contexts.expected, ContextName::of(&ctx));
    let text = error.to_string();
    assert!(text.contains("cudaSetDevice"), "{text}");
    assert_eq!(current_context()?, Some(ContextName::of(&ctx)));
    Ok(())
}

/// The runtime's default streams are the default streams of the context.
fn default_streams_belong_to_every_context() -> Outcome {
    let own = create_context(device(), ContextFlags::new())?;
    for (ctx, number) in [(context()?, 0), (own.clone(), 0), (own, 1)] {
        let handle = ptr::without_provenance_mut(number);
        // SAFETY: a default stream always exists.
        let stream = unsafe { BorrowedStream::new(&ctx, handle)? };
        let kernel = Kernel::<Saxpy>::load(&ctx)?;
        let mut counted = Counted::new(&stream)?;
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, 8, 128, counted.args(), stream = &stream)? };
        counted.added(1)?;
    }
    Ok(())
}

/// `saxpy` with its second and third fields exchanged.
#[derive(KernelArgs)]
struct Wrong<'a> {
    n: u32,
    x: &'a cudarc::driver::CudaSlice<f32>,
}

/// A kernel of a library without a context: `cudaKernel_t`.
fn a_kernel_of_a_library_is_verified() -> Outcome {
    let contexts = [context()?, create_context(device(), ContextFlags::new())?];
    let (image, mut library): (_, CUlibrary) = (CString::new(SAXPY)?, ptr::null_mut());
    let none = ptr::null_mut();
    // SAFETY: NUL-terminated PTX, and no options.
    let loaded = unsafe {
        sys::cuLibraryLoadData(
            &raw mut library,
            image.as_ptr().cast(),
            none,
            none.cast(),
            0,
            none.cast(),
            none.cast(),
            0,
        )
    };
    loaded.result()?;
    let mut kernel: CUkernel = ptr::null_mut();
    // SAFETY: the library is loaded.
    unsafe { sys::cuLibraryGetKernel(&raw mut kernel, library, c"saxpy".as_ptr()) }.result()?;
    for ctx in &contexts {
        let mut counted = Counted::new(&ctx.default_stream())?;
        // SAFETY: the library is loaded.
        let function = unsafe { kernel_function(ctx, kernel.cast())? };
        ctx.bind_to_thread()?;
        // SAFETY: both slices have `N` elements; the library is loaded.
        unsafe { launch!(function, 8, 128, counted.args())? };
        counted.added(1)?;
        let (n, x) = (1, &counted.x);
        // SAFETY: the launch is rejected.
        let error = unsafe { launch!(function, 8, 128, Wrong { n, x }) };
        assert!(matches!(error, Err(Error::Verify(VerifyError::Mismatch(_)))), "{error:?}");
    }
    drop(ArgList::new());
    // SAFETY: nothing uses its kernels after this.
    unsafe { sys::cuLibraryUnload(library) }.result()?;
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("borrowed/a_stream_is_ordered", a_borrowed_stream_is_ordered),
        trial("borrowed/a_stream_of_another_context_is_refused", a_stream_of_another_context_is_refused),
        trial("borrowed/default_streams_belong_to_every_context", default_streams_belong_to_every_context),
        trial("borrowed/a_kernel_of_a_library_is_verified", a_kernel_of_a_library_is_verified),
    ]
}
