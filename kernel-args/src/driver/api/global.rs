//! The memory of global variables, and copies to it and from it.

use super::{Api, CallError, ContextState, Module, api, stream::Event};
use core::mem;
use cudarc::driver::{
    CudaContext, CudaModule, CudaStream, DevicePtr, PinnedHostSlice,
    sys::{CUdeviceptr, CUresult},
};
use std::{
    ffi::CStr,
    sync::{Arc, Mutex, PoisonError},
    vec::Vec,
};

/// The memory of a variable. It holds the module, so it is valid as long as this value.
pub(crate) struct GlobalMemory {
    api: &'static Api,
    address: CUdeviceptr,
    size: usize,
    context: Arc<CudaContext>,
    state: ContextState,
    /// The sources of copies on streams. The driver may read pageable memory after the call has returned.
    in_flight: Mutex<Vec<(Event, Vec<u8>)>>,
    _module: Owner,
}

enum Owner {
    Own(#[allow(dead_code, reason = "it holds the module")] Arc<Module>),
    Cudarc(#[allow(dead_code, reason = "it holds the module")] Arc<CudaModule>),
}

/// Why a variable was not copied.
pub(crate) enum NotCopied {
    /// A call failed.
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
    /// `cuModuleGetGlobal`; `None` if the module has no variable of that name.
    pub(crate) fn of_module(module: &Arc<Module>, name: &CStr) -> Result<Option<Self>, CallError> {
        let found = match module.global(name) {
            Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_NOT_FOUND => {
                return Ok(None);
            }
            found => found?,
        };
        let owner = Owner::Own(module.clone());
        Self::new(found, module.context(), owner).map(Some)
    }

    /// The same for a module of cudarc, loaded in `context`.
    pub(crate) fn of_cudarc(
        context: &Arc<CudaContext>,
        module: &Arc<CudaModule>,
        name: &str,
    ) -> Result<Option<Self>, CallError> {
        context.bind_to_thread().map_err(CallError::context)?;
        let stream = context.default_stream();
        let found = match module.get_global(name, &stream) {
            Err(error) if error.0 == CUresult::CUDA_ERROR_NOT_FOUND => return Ok(None),
            found => found.map_err(|error| CallError::cudarc("cuModuleGetGlobal", error))?,
        };
        // Nothing else uses the view, so no use of it has to be awaited or recorded.
        let (address, _guard) = found.device_ptr(&stream);
        let owner = Owner::Cudarc(module.clone());
        Self::new((address, found.len()), context, owner).map(Some)
    }

    fn new(
        (address, size): (CUdeviceptr, usize),
        context: &Arc<CudaContext>,
        owner: Owner,
    ) -> Result<Self, CallError> {
        let api = api()?;
        Ok(Self {
            api,
            address,
            size,
            context: context.clone(),
            state: ContextState::of(api, context),
            in_flight: Mutex::new(Vec::new()),
            _module: owner,
        })
    }

    pub(crate) const fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// The size in bytes.
    pub(crate) const fn size(&self) -> usize {
        self.size
    }

    pub(crate) const fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Makes the context current. Returns the address of these bytes of the variable.
    ///
    /// # Panics
    /// If they are outside of the variable.
    fn prepare(&self, offset: usize, length: usize) -> Result<CUdeviceptr, NotCopied> {
        let end = offset.checked_add(length);
        assert!(
            end.is_some_and(|end| end <= self.size),
            "a copy outside of the variable"
        );
        if self.state.is_over(self.api, &self.context) {
            return Err(NotCopied::Over);
        }
        self.context.bind_to_thread().map_err(CallError::context)?;
        Ok(self.address + offset as CUdeviceptr)
    }

    /// The same for a copy on a stream of the same context.
    fn prepare_on(
        &self,
        stream: &CudaStream,
        offset: usize,
        length: usize,
    ) -> Result<CUdeviceptr, NotCopied> {
        let place = self.prepare(offset, length)?;
        let mut status = 0;
        self.api.cuStreamIsCapturing(stream.into(), &mut status)?;
        if status == 0 {
            Ok(place)
        } else {
            Err(NotCopied::Capturing)
        }
    }

    /// Waits for all work in the context, then copies the bytes from `offset` on.
    pub(crate) fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), NotCopied> {
        let from = self.prepare(offset, to.len())?;
        self.api.cuCtxSynchronize()?;
        // SAFETY: CUDA Driver API, "Memory Management", `cuMemcpyDtoH`: the source is inside the variable, whose module is
        // loaded, and `to` has this length. The call returns when the copy is complete.
        let status = unsafe { (self.api.cuMemcpyDtoH_v2)(to.as_mut_ptr().cast(), from, to.len()) };
        Ok(status.check("cuMemcpyDtoH")?)
    }

    /// Waits for all work in the context, then overwrites the bytes from `offset` on.
    pub(crate) fn write(&self, offset: usize, from: &[u8]) -> Result<(), NotCopied> {
        let to = self.prepare(offset, from.len())?;
        self.api.cuCtxSynchronize()?;
        // SAFETY: CUDA Driver API, "Memory Management", `cuMemcpyHtoD`: the destination is inside the variable, whose module is
        // loaded, and `from` has this length. The call has read the source when it returns.
        let status = unsafe { (self.api.cuMemcpyHtoD_v2)(to, from.as_ptr().cast(), from.len()) };
        Ok(status.check("cuMemcpyHtoD")?)
    }

    /// Overwrites the bytes from `offset` on, in the order of `stream`.
    pub(crate) fn write_on(
        &self,
        stream: &CudaStream,
        offset: usize,
        from: Vec<u8>,
    ) -> Result<(), NotCopied> {
        let to = self.prepare_on(stream, offset, from.len())?;
        let raw = stream.cu_stream();
        // SAFETY: CUDA Driver API, "Memory Management", `cuMemcpyHtoDAsync`: the destination is inside the variable, and `from`
        // has this length. Both stay allocated until the copy is complete: `in_flight` keeps the source until the event after
        // the copy is complete, and this value, which holds the module, waits for that event when it is dropped.
        let status =
            unsafe { (self.api.cuMemcpyHtoDAsync_v2)(to, from.as_ptr().cast(), from.len(), raw) };
        status.check("cuMemcpyHtoDAsync")?;
        let event = match self.record(stream) {
            Ok(event) => event,
            Err(unrecorded) => {
                if unrecorded.is_copying {
                    mem::forget(from);
                }
                return Err(unrecorded.error.into());
            }
        };
        let mut in_flight = self
            .in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        in_flight.retain(|(event, _)| !event.is_complete());
        in_flight.push((event, from));
        Ok(())
    }

    /// Starts a copy of the bytes from `offset` on, in the order of `stream`.
    pub(crate) fn read_on(
        self: &Arc<Self>,
        stream: &CudaStream,
        offset: usize,
        length: usize,
    ) -> Result<PendingBytes, NotCopied> {
        const FLAGS: u32 = 0;
        let from = self.prepare_on(stream, offset, length)?;
        // SAFETY: the memory is not initialized, and it is read only after the copy has overwritten all of it.
        let bytes = unsafe { self.context.alloc_pinned_with_flags::<u8>(length, FLAGS) };
        let mut bytes = bytes.map_err(|error| CallError::cudarc("cuMemHostAlloc", error))?;
        let to = bytes
            .as_mut_ptr()
            .map_err(|error| CallError::cudarc("cuEventSynchronize", error))?;
        // SAFETY: CUDA Driver API, "Memory Management", `cuMemcpyDtoHAsync`: the source is inside the variable, and `to` has this
        // length. `PendingBytes` keeps both until the event after the copy is complete.
        let status =
            unsafe { (self.api.cuMemcpyDtoHAsync_v2)(to.cast(), from, length, stream.cu_stream()) };
        status.check("cuMemcpyDtoHAsync")?;
        match self.record(stream) {
            Ok(event) => Ok(PendingBytes {
                bytes: mem::ManuallyDrop::new(bytes),
                event,
                memory: self.clone(),
            }),
            Err(unrecorded) => {
                if unrecorded.is_copying {
                    mem::forget(bytes);
                }
                Err(unrecorded.error.into())
            }
        }
    }

    /// An event after the last copy on the stream. If it cannot be recorded, waits for the stream.
    fn record(&self, stream: &CudaStream) -> Result<Event, Unrecorded> {
        Event::record(self.api, stream).map_err(|error| Unrecorded {
            error,
            is_copying: self.api.cuStreamSynchronize(stream.into()).is_err(),
        })
    }
}

/// No event was recorded after a copy.
struct Unrecorded {
    error: CallError,
    /// Whether the copy may still use its host memory, which must not be freed.
    is_copying: bool,
}

impl Drop for GlobalMemory {
    fn drop(&mut self) {
        let in_flight = self
            .in_flight
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for (event, from) in mem::take(in_flight) {
            if !event.wait() {
                // The driver does not report the end of the copy. `Drop` cannot report an error.
                mem::forget(from);
            }
        }
    }
}

/// Host memory that a copy on a stream is filling.
pub(crate) struct PendingBytes {
    bytes: mem::ManuallyDrop<PinnedHostSlice<u8>>,
    event: Event,
    memory: Arc<GlobalMemory>,
}

impl PendingBytes {
    /// Whether the copy is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.event.is_complete()
    }

    /// Waits for the copy.
    pub(crate) fn wait(&self) -> Result<&[u8], CallError> {
        self.event.finish()?;
        self.bytes
            .as_slice()
            .map_err(|error| CallError::cudarc("cuEventSynchronize", error))
    }
}

impl Drop for PendingBytes {
    fn drop(&mut self) {
        // Frees the memory in its context. `Drop` cannot report an error.
        let _ = self.memory.context.bind_to_thread();
        if self.event.wait() {
            // SAFETY: this is the only place that drops the memory, and the copy is complete.
            unsafe { mem::ManuallyDrop::drop(&mut self.bytes) };
        }
    }
}
