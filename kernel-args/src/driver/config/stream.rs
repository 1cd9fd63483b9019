//! The types that a launch accepts as its stream.

#[cfg(feature = "graphs")]
use crate::driver::run::RunRecord;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Where a launch is enqueued.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct StreamTarget<'a> {
    pub(crate) stream: &'a CudaStream,
    #[cfg(feature = "graphs")]
    pub(crate) recording: Option<&'a RunRecord>,
}

impl<'a> From<&'a CudaStream> for StreamTarget<'a> {
    #[inline(always)]
    fn from(stream: &'a CudaStream) -> Self {
        Self {
            stream,
            #[cfg(feature = "graphs")]
            recording: None,
        }
    }
}

/// A stream that a launch can name: cudarc's `CudaStream`, a [`BorrowedStream`](crate::context::BorrowedStream), a
/// [`GreenStream`](crate::context::GreenStream), an `Arc` of one; or the [`Recorder`](crate::sequence::Recorder) of a
/// sequence.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stream",
    label = "a launch cannot be enqueued on this",
    note = "pass a reference to a stream of cudarc: `stream = &stream`; in the closure of `Sequence::run`, its recorder: `stream = s`"
)]
pub trait AsStream {
    #[doc(hidden)]
    fn target(&self) -> StreamTarget<'_>;
}

impl AsStream for CudaStream {
    #[inline(always)]
    fn target(&self) -> StreamTarget<'_> {
        self.into()
    }
}

macro_rules! forwarded {
    ($($pointer:ty),*) => {$(
        impl<S: AsStream + ?Sized> AsStream for $pointer {
            #[inline(always)]
            fn target(&self) -> StreamTarget<'_> {
                (**self).target()
            }
        }
    )*};
}

forwarded!(&S, &mut S, Arc<S>, Box<S>);
