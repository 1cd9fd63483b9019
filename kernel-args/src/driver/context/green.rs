//! Green contexts: a part of a GPU's multiprocessors, with streams whose kernels run there.

use super::tracking;
use crate::driver::{
    api::{DeviceResource, Green, OwnStream, api, required},
    config::{AsStream, StreamTarget},
    error::{ContextError, Error, GreenError},
};
use core::ops::Deref;
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::Arc;

/// A part of a GPU's multiprocessors (SMs), for the kernels that are launched on its streams. The rest stays free for
/// other work.
///
/// A green context shares everything else with the primary context of its device: its streams use the kernels, memory
/// and events of the primary context. Needs a driver of CUDA 12.5 or newer. It is destroyed when it and its streams are
/// dropped.
///
/// ```no_run
/// use kernel_args::context::GreenContext;
///
/// let ctx = kernel_args::context(0)?;
/// let (small, _rest) = GreenContext::split(&ctx, 16)?;
/// let stream = small.new_stream()?; // for `launch!(…, stream = &stream)`
/// # drop(stream); Ok::<(), kernel_args::Error>(())
/// ```
#[derive(Clone)]
pub struct GreenContext {
    green: Arc<Green>,
    sm_count: u32,
    context: Arc<CudaContext>,
    _tracking: Arc<CudaStream>,
}

impl GreenContext {
    /// Splits the GPU of `ctx`, a primary context, into a part of at least `sms` multiprocessors and a part with the
    /// remaining ones, if any remain. The driver rounds `sms` up to a size that the GPU supports (on sm_90 a multiple
    /// of 8).
    ///
    /// # Errors
    /// [`Error::Context`] if `ctx` is not a primary context, or the GPU has fewer multiprocessors; [`Error::OldDriver`]
    /// if the driver is older than 12.5; [`Error::Driver`].
    pub fn split(ctx: &Arc<CudaContext>, sms: u32) -> Result<(Self, Option<Self>), Error> {
        let api = api()?;
        required!(api, cuGreenCtxStreamCreate)?;
        if !ctx.is_primary() {
            return Err(refused(GreenError::NotPrimary));
        }
        let mut all = DeviceResource::EMPTY;
        api.cuDeviceGetDevResource(ctx.cu_device(), &mut all, DeviceResource::SM)?;
        if sms == 0 || sms > all.sm_count {
            return Err(refused(GreenError::Count { requested: sms, available: all.sm_count }));
        }
        let (groups, part, rest) = api.split(&all, sms)?;
        if groups != 1 {
            return Err(refused(GreenError::Split { requested: sms, available: all.sm_count }));
        }
        let tracking = tracking(ctx)?;
        let green = |mut resource: DeviceResource| -> Result<Self, Error> {
            Ok(Self {
                green: Arc::new(Green::new(api, ctx.cu_device(), &mut resource)?),
                sm_count: resource.sm_count,
                context: ctx.clone(),
                _tracking: tracking.clone(),
            })
        };
        let part = green(part)?;
        let remains = rest.kind == DeviceResource::SM && rest.sm_count > 0;
        Ok((part, remains.then(|| green(rest)).transpose()?))
    }

    /// Returns the number of multiprocessors in this part.
    #[must_use]
    pub fn sm_count(&self) -> u32 {
        self.sm_count
    }

    /// Returns the primary context from which it was split.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Creates a stream whose kernels run on this part of the GPU. It does not wait for the default stream.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn new_stream(&self) -> Result<GreenStream, Error> {
        Ok(GreenStream { stream: self.green.new_stream(&self.context)?, green: self.clone() })
    }
}

debug!(GreenContext, this => sm_count: this.sm_count, device: this.context.ordinal());

/// A stream of a [`GreenContext`]: `stream = &stream` in [`launch!`](crate::launch!). It derefs to cudarc's stream, but
/// gives no [`Arc`] of it: allocate and copy on a different stream of the primary context.
pub struct GreenStream {
    stream: OwnStream,
    green: GreenContext,
}

impl GreenStream {
    /// Returns the green context on whose multiprocessors the kernels of this stream run.
    #[must_use]
    pub fn green_context(&self) -> &GreenContext {
        &self.green
    }
}

impl AsStream for GreenStream {
    #[inline]
    fn target(&self) -> StreamTarget<'_> {
        (**self).target()
    }
}

impl Deref for GreenStream {
    type Target = CudaStream;

    fn deref(&self) -> &CudaStream {
        self.stream.as_cudarc()
    }
}

impl Drop for GreenStream {
    fn drop(&mut self) {
        // The stream is destroyed in its context.
        let _ = api().map(|api| api.cuCtxSetCurrent((&*self.green.context).into()));
    }
}

debug!(GreenStream, this => green_context: this.green);

fn refused(error: GreenError) -> Error {
    Error::Context(ContextError::Green(error))
}
