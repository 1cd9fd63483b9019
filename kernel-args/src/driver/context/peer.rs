//! Memory of another GPU as an argument: peer access.
//!
//! It is marked by its type, `Peer`: `cuPointerGetAttribute` would cost a call for each argument.

use super::{current::with_current, tracking};
use crate::{
    contract::Elements,
    driver::{
        api::{CallError, api, out},
        error::{ContextError, ContextMismatch, Error},
    },
    marshal::{Guard, KernelArg, LaunchStream, PointerArg, SliceArg},
    memory::ContextName,
};
use cudarc::driver::{CudaContext, CudaStream, sys::CUresult};
use std::sync::Arc;

/// Access of the kernels of one context to the memory of a second context, usually of a second GPU.
///
/// A launch rejects an argument of a different context, unless [`memory`](Self::memory) marks it. Then the launch waits
/// for the last use of the memory on the other GPU, and later work there waits for the launch.
///
/// ```no_run
/// use cudarc::driver::CudaSlice;
/// use kernel_args::{KernelArgs, context::{Peer, PeerAccess}};
///
/// #[derive(KernelArgs)]
/// struct Sum<'a> { n: u32, x: Peer<'a, &'a CudaSlice<f32>> } // `x` is on the other GPU
///
/// let (first, second) = (kernel_args::context(0)?, kernel_args::context(1)?);
/// let x = second.default_stream().clone_htod(&[1.0_f32; 1024])?;
/// let peers = PeerAccess::enable(&first, &second)?;
/// let args = Sum { n: 1024, x: peers.memory(&x) };
/// # drop(args); Ok::<(), kernel_args::Error>(())
/// ```
pub struct PeerAccess {
    kernels: Arc<CudaContext>,
    memory: Arc<CudaContext>,
    _tracking: [Arc<CudaStream>; 2],
}

impl PeerAccess {
    /// Enables the kernels of the context `kernels` to access memory of the context `memory`: allocations of
    /// `cuMemAlloc` (`cuCtxEnablePeerAccess`), and the memory pool of its device, from which cudarc allocates
    /// (`cuMemPoolSetAccess`).
    ///
    /// Access stays enabled when this is dropped. The opposite direction needs its own call. For one context the driver
    /// is not called.
    ///
    /// # Errors
    /// [`Error::Context`] if the two GPUs cannot access each other's memory, or both contexts are on the same GPU;
    /// [`Error::Driver`].
    pub fn enable(kernels: &Arc<CudaContext>, memory: &Arc<CudaContext>) -> Result<Self, Error> {
        if kernels.cu_ctx() != memory.cu_ctx() {
            if !Self::is_possible(kernels, memory)? {
                return Err(no_access(kernels, memory));
            }
            let api = api()?;
            let enabled = with_current(kernels, || api.cuCtxEnablePeerAccess((&**memory).into(), 0))?;
            match enabled {
                Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => {}
                Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED => {
                    return Err(no_access(kernels, memory));
                }
                enabled => enabled?,
            }
            // Peer access does not include pools.
            if memory.has_async_alloc() {
                api.share_pool(memory.cu_device(), kernels.cu_device())?;
            }
        }
        Ok(Self {
            _tracking: [tracking(kernels)?, tracking(memory)?],
            kernels: kernels.clone(),
            memory: memory.clone(),
        })
    }

    /// Returns whether kernels on the GPU of `kernels` can access memory of the GPU of `memory`:
    /// `cuDeviceCanAccessPeer`.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn is_possible(kernels: &CudaContext, memory: &CudaContext) -> Result<bool, Error> {
        let (api, kernels, memory) = (api()?, kernels.cu_device(), memory.cu_device());
        Ok(out(|possible| api.cuDeviceCanAccessPeer(possible, kernels, memory))? != 0)
    }

    /// Memory of the second context as an argument of a launch: a slice or a view, `&` to read it and `&mut` to write
    /// it.
    ///
    /// The launch also accepts memory of the kernels' own context, but of no third context.
    pub fn memory<S: SliceArg>(&self, slice: S) -> Peer<'_, S> {
        Peer { slice, access: self }
    }
}

debug!(PeerAccess, this => kernels: ContextName::of(&this.kernels), memory: ContextName::of(&this.memory));

/// Memory of another GPU as an argument: [`PeerAccess::memory`]. `S` is a slice or view of cudarc:
/// `far: Peer<'a, &'a CudaSlice<f32>>`.
#[derive(Debug)]
#[must_use]
pub struct Peer<'a, S> {
    slice: S,
    access: &'a PeerAccess,
}

impl<S: SliceArg> KernelArg for Peer<'_, S> {
    type Device = S::Device;

    #[inline]
    fn check_context(&self, stream: &LaunchStream<'_>) {
        let context = self.slice.context();
        let is_peer = context.cu_ctx() == self.access.memory.cu_ctx();
        let used_in = if is_peer { &self.access.kernels } else { context };
        self.slice.check_for(used_in, stream);
    }

    #[inline]
    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (S::Device, Guard<'s>) {
        self.slice.lower_for(&self.access.kernels, stream)
    }
}

impl<S: SliceArg + PointerArg> PointerArg for Peer<'_, S> {}

impl<S: Elements> Elements for Peer<'_, S> {
    #[inline(always)]
    fn elements(&self) -> usize {
        self.slice.elements()
    }
}

#[cold]
fn no_access(kernels: &CudaContext, memory: &CudaContext) -> Error {
    let (kernels, memory) = (ContextName::of(kernels), ContextName::of(memory));
    Error::Context(ContextError::NoPeerAccess { contexts: Box::new(ContextMismatch::new(memory, kernels)) })
}
