//! The memory of variables.

use super::{Api, CallError, ContextState, Module, api, handle::Event, make_current};
use crate::lock::lock;
use core::mem::ManuallyDrop;
use cudarc::driver::{
    CudaContext, CudaModule, CudaStream, DevicePtr,
    sys::{CUdeviceptr, CUresult},
};
use std::{
    ffi::CStr,
    sync::{Arc, Mutex},
};

/// It holds the module, so it is valid as long as this value. The fields are dropped in this order.
pub(crate) struct GlobalMemory {
    api: &'static Api,
    address: CUdeviceptr,
    size: usize,
    context: Arc<CudaContext>,
    state: ContextState,
    /// The sources of copies on streams. The driver may read pageable memory after the call has returned.
    in_flight: Mutex<Vec<InFlight>>,
    _module: Arc<dyn Send + Sync>,
}

pub(crate) enum NotCopied {
    Call(CallError),
    /// The context was reset, which has freed the variable.
    Over,
    /// The stream is being captured: the graph would use host memory that is freed after the copy.
    Capturing,
}

impl From<CallError> for NotCopied {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl GlobalMemory {
    pub(crate) fn of_module(module: &Arc<Module>, name: &CStr) -> Result<Option<Self>, CallError> {
        // Driver 580 returns `CUDA_ERROR_INVALID_VALUE` for it.
        let found = if name.is_empty() { None } else { module.global(name)? };
        // The state of the module detects a reset since it was loaded.
        let memory = |memory| Self::new(memory, module.context(), Some(module.state()), module.clone());
        found.map(memory).transpose()
    }

    pub(crate) fn of_cudarc(
        context: &Arc<CudaContext>,
        module: &Arc<CudaModule>,
        name: &str,
    ) -> Result<Option<Self>, CallError> {
        if name.is_empty() {
            return Ok(None);
        }
        make_current(context)?;
        let stream = context.default_stream();
        let found = match module.get_global(name, &stream) {
            Err(error) if error.0 == CUresult::CUDA_ERROR_NOT_FOUND => return Ok(None),
            found => found.map_err(|error| CallError::cudarc("cuModuleGetGlobal", error))?,
        };
        // Nothing else uses the view.
        let (address, _guard) = found.device_ptr(&stream);
        Self::new((address, found.len()), context, None, module.clone()).map(Some)
    }

    fn new(
        (address, size): (CUdeviceptr, usize),
        context: &Arc<CudaContext>,
        state: Option<ContextState>,
        module: Arc<dyn Send + Sync>,
    ) -> Result<Self, CallError> {
        let api = api()?;
        Ok(Self {
            api,
            address,
            size,
            context: context.clone(),
            state: state.unwrap_or_else(|| ContextState::of(api, context)),
            in_flight: Mutex::new(Vec::new()),
            _module: module,
        })
    }

    pub(crate) const fn address(&self) -> CUdeviceptr {
        self.address
    }

    pub(crate) const fn size(&self) -> usize {
        self.size
    }

    pub(crate) const fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Makes the context current. Returns the address of these bytes.
    ///
    /// # Panics
    /// If they are outside of the variable.
    fn prepare(&self, offset: usize, length: usize) -> Result<CUdeviceptr, NotCopied> {
        let end = offset.checked_add(length);
        assert!(end.is_some_and(|end| end <= self.size), "a copy outside of the variable");
        if self.state.is_over(self.api, &self.context) {
            return Err(NotCopied::Over);
        }
        make_current(&self.context)?;
        Ok(self.address + offset as CUdeviceptr)
    }

    fn prepare_on(&self, stream: &CudaStream, offset: usize, length: usize) -> Result<CUdeviceptr, NotCopied> {
        let place = self.prepare(offset, length)?;
        if self.api.is_capturing(stream)? { Err(NotCopied::Capturing) } else { Ok(place) }
    }

    /// Waits for all work in the context, then copies the bytes from `offset` on.
    pub(crate) fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), NotCopied> {
        let from = self.prepare(offset, to.len())?;
        self.api.cuCtxSynchronize()?;
        // SAFETY: `cuMemcpyDtoH`: the source is inside the variable, whose module is loaded, and `to` has this length.
        // The call waits for the copy.
        Ok(unsafe { self.api.cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, to.len()) }?)
    }

    /// Waits for all work in the context, then overwrites the bytes from `offset` on.
    pub(crate) fn write(&self, offset: usize, from: &[u8]) -> Result<(), NotCopied> {
        let to = self.prepare(offset, from.len())?;
        self.api.cuCtxSynchronize()?;
        // SAFETY: `cuMemcpyHtoD`: the destination is inside the variable, whose module is loaded, and `from` has this
        // length. The call has read the source when it returns.
        Ok(unsafe { self.api.cuMemcpyHtoD_v2(to, from.as_ptr().cast(), from.len()) }?)
    }

    pub(crate) fn write_on(&self, stream: &CudaStream, offset: usize, from: Vec<u8>) -> Result<(), NotCopied> {
        let (to, length) = (self.prepare_on(stream, offset, from.len())?, from.len());
        let copy = InFlight::new(self.api, stream, from, |from| {
            // SAFETY: `cuMemcpyHtoDAsync`: the destination is inside the variable, and `from` has this length. Both
            // stay allocated until the copy is complete: `InFlight` keeps the source, and this value drops the
            // `InFlight` before the module.
            unsafe { self.api.cuMemcpyHtoDAsync_v2(to, from.cast(), length, stream.cu_stream()) }
        })?;
        let mut in_flight = lock(&self.in_flight);
        in_flight.retain(|copy| !copy.event.is_complete());
        in_flight.push(copy);
        Ok(())
    }

    pub(crate) fn read_on(
        self: &Arc<Self>,
        stream: &CudaStream,
        offset: usize,
        length: usize,
    ) -> Result<PendingBytes, NotCopied> {
        let from = self.prepare_on(stream, offset, length)?;
        let copy = InFlight::new(self.api, stream, vec![0; length], |to| {
            // SAFETY: `cuMemcpyDtoHAsync`: the source is inside the variable, and `to` has this length. `PendingBytes`
            // keeps both, and reads the memory only after the event that follows the copy.
            unsafe { self.api.cuMemcpyDtoHAsync_v2(to.cast(), from, length, stream.cu_stream()) }
        })?;
        Ok(PendingBytes { copy, _memory: self.clone() })
    }
}

/// Host memory that is freed when a copy on a stream is complete, and never if the driver does not report this.
struct InFlight {
    bytes: ManuallyDrop<Vec<u8>>,
    event: Event,
}

impl InFlight {
    fn new(
        api: &'static Api,
        stream: &CudaStream,
        mut bytes: Vec<u8>,
        copy: impl FnOnce(*mut u8) -> Result<(), CallError>,
    ) -> Result<Self, CallError> {
        copy(bytes.as_mut_ptr())?;
        let bytes = ManuallyDrop::new(bytes);
        match Event::record(api, stream) {
            Ok(event) => Ok(Self { bytes, event }),
            Err(error) => {
                if api.cuStreamSynchronize(stream.into()).is_ok() {
                    drop(ManuallyDrop::into_inner(bytes));
                }
                Err(error)
            }
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        // In a capture of this thread, only the query is allowed.
        if self.event.is_complete() || self.event.finish().is_ok() {
            // SAFETY: this is the only place that drops the memory, and the copy is complete.
            unsafe { ManuallyDrop::drop(&mut self.bytes) };
        }
    }
}

/// Host memory that a copy is filling. The fields are dropped in this order.
pub(crate) struct PendingBytes {
    copy: InFlight,
    _memory: Arc<GlobalMemory>,
}

impl PendingBytes {
    pub(crate) fn is_complete(&self) -> bool {
        self.copy.event.is_complete()
    }

    pub(crate) fn wait(&self) -> Result<&[u8], CallError> {
        self.copy.event.finish()?;
        Ok(&self.copy.bytes)
    }
}
