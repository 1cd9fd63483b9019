//! Images for the driver, modules, the memory of their variables, and the driver's linker.

use super::{
    Alive, Api, CallError, ContextState, DriverCall, DriverOptions, FunctionHandle, Handle, Status, api,
    handle::{Destroyed, Event, Owned},
};
use crate::marshal::Summary;
use core::{mem, ptr, slice};
use cudarc::driver::{
    CudaContext, CudaModule, CudaStream, DevicePtr,
    sys::{CUdeviceptr, CUjitInputType, CUlinkState_st, CUmod_st, CUresult},
};
use kernel_args_image::{self as image, summary};
use std::{
    boxed::Box,
    ffi::{CStr, CString},
    format,
    sync::{Arc, Mutex, PoisonError},
    vec,
    vec::Vec,
};

/// An image that can be passed to the driver. The driver receives no length, so this is PTX that ends with NUL, or a
/// cubin or fat binary whose headers refer only to bytes inside the image.
pub(crate) struct DriverImage {
    bytes: Arc<Vec<u8>>,
    kind: CUjitInputType,
}

impl DriverImage {
    /// # Errors
    /// The errors of [`image::validate`], which documents its checks.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, image::Error> {
        let kind = image::validate(&bytes)?;
        // SAFETY: `validate` returned this kind.
        Ok(unsafe { Self::validated(bytes, kind) })
    }

    /// An image that was validated while the program was compiled, with its summary for a table of this many kernels.
    pub(crate) fn summarized(known: &Summary, kernels: usize) -> (Self, summary::Summary) {
        let summary = summary::Summary::read(known.bytes, kernels);
        // SAFETY: the contract of `Summary::new`: `summary` contains the kind that `validate` returned.
        let image = unsafe { Self::validated(known.image.to_vec(), summary.kind) };
        (image, summary)
    }

    /// # Safety
    /// [`image::validate`] returns this kind for these bytes.
    unsafe fn validated(mut bytes: Vec<u8>, kind: image::Kind) -> Self {
        let kind = match kind {
            image::Kind::Cubin => CUjitInputType::CU_JIT_INPUT_CUBIN,
            image::Kind::Fatbin => CUjitInputType::CU_JIT_INPUT_FATBINARY,
            _ => {
                if let Some(nul) = bytes.iter().position(|&byte| byte == 0) {
                    bytes.truncate(nul);
                }
                bytes.push(0);
                CUjitInputType::CU_JIT_INPUT_PTX
            }
        };
        Self { bytes: Arc::new(bytes), kind }
    }

    /// The bytes, shared with the image.
    pub(crate) fn shared(&self) -> Arc<Vec<u8>> {
        self.bytes.clone()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Why an image was not loaded.
pub(crate) enum NotLoaded {
    /// The driver was not called: it is missing, or the context could not be made current.
    NotCalled(CallError),
    /// The driver's error; the log is in the options.
    Refused(DriverCall),
}

impl From<CallError> for NotLoaded {
    fn from(error: CallError) -> Self {
        Self::NotCalled(error)
    }
}

/// A loaded module. Drop unloads it.
pub(crate) struct Module {
    api: &'static Api,
    handle: Handle<CUmod_st>,
    context: Arc<CudaContext>,
    state: ContextState,
}

impl Module {
    /// `cuModuleLoadDataEx`; the logs are in `options` afterwards.
    pub(crate) fn load(
        context: &Arc<CudaContext>,
        image: &DriverImage,
        options: &mut DriverOptions,
    ) -> Result<Self, NotLoaded> {
        let api = api().map_err(CallError::from)?;
        context.bind_to_thread().map_err(CallError::context)?;
        let mut handle = ptr::null_mut();
        // SAFETY: CUDA Driver API, "Module Management", `cuModuleLoadDataEx` takes a cubin, PTX that ends with NUL, or
        // a fat binary. A `DriverImage` is one of these, and the driver reads no byte outside of it. The two arrays of
        // `DriverOptions` have `count` entries, and the data that they point to outlives the call.
        let status = unsafe {
            (api.cuModuleLoadDataEx)(
                &mut handle,
                image.bytes.as_ptr().cast(),
                options.count(),
                options.keys(),
                options.values(),
            )
        };
        if status != Status::SUCCESS {
            let call = "cuModuleLoadDataEx";
            return Err(NotLoaded::Refused(DriverCall { call, status }));
        }
        Ok(Self { api, handle: Handle::new(handle), context: context.clone(), state: ContextState::of(api, context) })
    }

    fn alive(&self) -> Alive<'_, CUmod_st> {
        // SAFETY: the load call returned this handle, and only the drop of this value unloads the module.
        unsafe { Alive::new(self.handle.raw()) }
    }

    /// The context in which it is loaded.
    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Whether the context was reset since the module was loaded; `false` if the driver does not report it.
    pub(crate) fn is_over(&self) -> bool {
        self.state.is_over(self.api, &self.context)
    }

    /// `cuModuleGetFunction`; `None` where the module has no function of that name.
    pub(super) fn function(&self, symbol: &CStr) -> Result<Option<FunctionHandle<'_>>, CallError> {
        self.context.bind_to_thread().map_err(CallError::context)?;
        let (api, mut function) = (self.api, ptr::null_mut());
        match api.cuModuleGetFunction(&mut function, self.alive(), symbol.into()) {
            Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_NOT_FOUND => {
                return Ok(None);
            }
            found => found?,
        }
        // SAFETY: CUDA Driver API, "Module Management": a function of a module is valid until the module is unloaded,
        // which the borrow prevents.
        Ok(Some(unsafe { Alive::new(function) }))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // The reset has unloaded the module, so its handle is invalid.
        if self.is_over() {
            return;
        }
        // cudarc's `bind_to_thread` would return a pending error instead of making the context current. `Drop` cannot
        // report an error, so the errors of both calls are discarded.
        let _ = self.api.cuCtxSetCurrent((&*self.context).into());
        // SAFETY: CUDA Driver API, "Module Management", `cuModuleUnload`: the module is loaded, and nothing else
        // unloads it. Every handle of its functions is a borrow of this value, or belongs to a `Function` that holds
        // this value.
        unsafe { (self.api.cuModuleUnload)(self.handle.raw()) };
    }
}

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
        // Driver 580 returns `CUDA_ERROR_INVALID_VALUE` for it.
        if name.is_empty() {
            return Ok(None);
        }
        module.context.bind_to_thread().map_err(CallError::context)?;
        let (api, mut address, mut size) = (module.api, 0, 0);
        let found = api.cuModuleGetGlobal_v2(&mut address, &mut size, module.alive(), name.into());
        match found {
            Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_NOT_FOUND => {
                return Ok(None);
            }
            found => found?,
        }
        let owner = Owner::Own(module.clone());
        // With this state, a reset since the module was loaded is detected.
        Self::new((address, size), module.context(), Some(module.state), owner).map(Some)
    }

    /// The same for a module of cudarc, loaded in `context`.
    pub(crate) fn of_cudarc(
        context: &Arc<CudaContext>,
        module: &Arc<CudaModule>,
        name: &str,
    ) -> Result<Option<Self>, CallError> {
        if name.is_empty() {
            return Ok(None);
        }
        context.bind_to_thread().map_err(CallError::context)?;
        let stream = context.default_stream();
        let found = match module.get_global(name, &stream) {
            Err(error) if error.0 == CUresult::CUDA_ERROR_NOT_FOUND => return Ok(None),
            found => found.map_err(|error| CallError::cudarc("cuModuleGetGlobal", error))?,
        };
        // Nothing else uses the view, so no use of it has to be awaited or recorded.
        let (address, _guard) = found.device_ptr(&stream);
        let owner = Owner::Cudarc(module.clone());
        Self::new((address, found.len()), context, None, owner).map(Some)
    }

    fn new(
        (address, size): (CUdeviceptr, usize),
        context: &Arc<CudaContext>,
        state: Option<ContextState>,
        owner: Owner,
    ) -> Result<Self, CallError> {
        let api = api()?;
        Ok(Self {
            api,
            address,
            size,
            context: context.clone(),
            state: state.unwrap_or_else(|| ContextState::of(api, context)),
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
        assert!(end.is_some_and(|end| end <= self.size), "a copy outside of the variable");
        if self.state.is_over(self.api, &self.context) {
            return Err(NotCopied::Over);
        }
        self.context.bind_to_thread().map_err(CallError::context)?;
        Ok(self.address + offset as CUdeviceptr)
    }

    /// The same for a copy on a stream of the same context.
    fn prepare_on(&self, stream: &CudaStream, offset: usize, length: usize) -> Result<CUdeviceptr, NotCopied> {
        let place = self.prepare(offset, length)?;
        let mut status = 0;
        self.api.cuStreamIsCapturing(stream.into(), &mut status)?;
        if status == 0 { Ok(place) } else { Err(NotCopied::Capturing) }
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
    pub(crate) fn write_on(&self, stream: &CudaStream, offset: usize, from: Vec<u8>) -> Result<(), NotCopied> {
        let to = self.prepare_on(stream, offset, from.len())?;
        let raw = stream.cu_stream();
        // SAFETY: CUDA Driver API, "Memory Management", `cuMemcpyHtoDAsync`: the destination is inside the variable, and `from`
        // has this length. Both stay allocated until the copy is complete: `in_flight` keeps the source until the event after
        // the copy is complete, and this value, which holds the module, waits for that event when it is dropped.
        let status = unsafe { (self.api.cuMemcpyHtoDAsync_v2)(to, from.as_ptr().cast(), from.len(), raw) };
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
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
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
        let from = self.prepare_on(stream, offset, length)?;
        let mut bytes = mem::ManuallyDrop::new(vec![0; length]);
        let to = bytes.as_mut_ptr();
        // SAFETY: CUDA Driver API, "Memory Management", `cuMemcpyDtoHAsync`: the source is inside the variable, and `to` has this
        // length. `PendingBytes` keeps both, and reads the memory only after the event that follows the copy.
        let status = unsafe { (self.api.cuMemcpyDtoHAsync_v2)(to.cast(), from, length, stream.cu_stream()) };
        if let Err(error) = status.check("cuMemcpyDtoHAsync") {
            drop(mem::ManuallyDrop::into_inner(bytes));
            return Err(error.into());
        }
        match self.record(stream) {
            Ok(event) => Ok(PendingBytes { bytes, event, _memory: self.clone() }),
            Err(unrecorded) => {
                if !unrecorded.is_copying {
                    drop(mem::ManuallyDrop::into_inner(bytes));
                }
                Err(unrecorded.error.into())
            }
        }
    }

    /// An event after the last copy on the stream. If it cannot be recorded, waits for the stream.
    fn record(&self, stream: &CudaStream) -> Result<Event, Unrecorded> {
        Event::record(self.api, stream)
            .map_err(|error| Unrecorded { error, is_copying: self.api.cuStreamSynchronize(stream.into()).is_err() })
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
        let in_flight = self.in_flight.get_mut().unwrap_or_else(PoisonError::into_inner);
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
    /// It is not freed if the driver does not report the end of the copy.
    bytes: mem::ManuallyDrop<Vec<u8>>,
    event: Event,
    _memory: Arc<GlobalMemory>,
}

impl PendingBytes {
    /// Whether the copy is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.event.is_complete()
    }

    /// Waits for the copy.
    pub(crate) fn wait(&self) -> Result<&[u8], CallError> {
        self.event.finish()?;
        Ok(&self.bytes)
    }
}

impl Drop for PendingBytes {
    fn drop(&mut self) {
        // `Drop` cannot report an error.
        if self.event.wait() {
            // SAFETY: this is the only place that drops the memory, and the copy is complete.
            unsafe { mem::ManuallyDrop::drop(&mut self.bytes) };
        }
    }
}

impl Destroyed for CUlinkState_st {
    type Sharing = ();

    fn destroy(api: &Api) -> Option<unsafe extern "C" fn(*mut Self) -> Status> {
        Some(api.cuLinkDestroy)
    }
}

/// The driver's linker. Drop destroys it.
pub(crate) struct Linker {
    state: Owned<CUlinkState_st>,
    /// The driver writes to the logs while the linker is alive, so this field is declared, and dropped, after the
    /// linker.
    options: Box<DriverOptions>,
}

impl Linker {
    /// `cuLinkCreate`. An error is returned with the options, which contain the log.
    pub(crate) fn new(mut options: Box<DriverOptions>) -> Result<Self, (CallError, Box<DriverOptions>)> {
        let api = match api() {
            Ok(api) => api,
            Err(unavailable) => return Err((unavailable.into(), options)),
        };
        let mut state = ptr::null_mut();
        // SAFETY: CUDA Driver API, "Module Management", `cuLinkCreate`: the two arrays have `count` entries, and
        // "optionValues must remain valid for the life of the CUlinkState if output options are used": the linker is
        // destroyed before its options.
        let status = unsafe { (api.cuLinkCreate_v2)(options.count(), options.keys(), options.values(), &mut state) };
        match status.check("cuLinkCreate") {
            Ok(()) => Ok(Self {
                // SAFETY: the call has created the linker, and only this value owns it.
                state: unsafe { Owned::new(api, state) },
                options,
            }),
            Err(error) => Err((error, options)),
        }
    }

    /// The linker's options, with its logs.
    pub(crate) fn options(&self) -> &DriverOptions {
        &self.options
    }

    /// `cuLinkAddData`. `index` identifies the image in the log.
    pub(crate) fn add(&mut self, image: &DriverImage, index: usize) -> Result<(), CallError> {
        let name = CString::new(format!("image {index}")).unwrap_or_default();
        // SAFETY: CUDA Driver API, "Module Management", `cuLinkAddData`: the linker is alive, the data are a
        // `DriverImage` of this kind and size, the name ends with NUL, and the number of options is 0. "No reference is
        // retained to any inputs after this call returns."
        let status = unsafe {
            (self.state.api.cuLinkAddData_v2)(
                self.state.alive().raw(),
                image.kind,
                image.bytes.as_ptr().cast_mut().cast(),
                image.bytes.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        status.check("cuLinkAddData")
    }

    /// `cuLinkComplete`: the cubin; `None` if the linker has produced no output.
    pub(crate) fn complete(&mut self) -> Result<Option<DriverImage>, CallError> {
        let (mut cubin, mut size) = (ptr::null_mut(), 0);
        let (api, state) = (self.state.api, self.state.alive());
        api.cuLinkComplete(state, &mut cubin, &mut size)?;
        if cubin.is_null() || size == 0 {
            return Ok(None);
        }
        // SAFETY: CUDA Driver API, "Module Management", `cuLinkComplete`: the linker owns the `size` bytes of the cubin at this address
        // until it is destroyed.
        let bytes = unsafe { slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec();
        // The driver created it, so its headers need no check.
        Ok(Some(DriverImage { bytes: Arc::new(bytes), kind: CUjitInputType::CU_JIT_INPUT_CUBIN }))
    }
}
