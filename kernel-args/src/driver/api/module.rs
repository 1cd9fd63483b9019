//! Code for the driver: images, modules, and the driver's linker.

use super::{
    Alive, Api, CallError, ContextState, DriverCall, DriverOptions, FunctionHandle, Handle, Status, api, handle::Owned,
    make_current, out,
};
use crate::marshal::Summary;
use core::{ptr, slice};
use cudarc::driver::{
    CudaContext,
    sys::{CUdeviceptr, CUjitInputType, CUlinkState_st, CUmod_st, CUresult},
};
use kernel_args_image::{self as image, summary};
use std::{
    ffi::{CStr, CString},
    sync::Arc,
};

/// The driver receives no length, so this is PTX that ends with NUL, or an image whose headers refer only to bytes
/// inside of it.
pub(crate) struct DriverImage {
    bytes: Arc<Vec<u8>>,
    kind: CUjitInputType,
}

impl DriverImage {
    /// # Errors
    /// The errors of [`image::validate`].
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, image::Error> {
        let kind = image::validate(&bytes)?;
        // SAFETY: `validate` returned this kind.
        Ok(unsafe { Self::validated(bytes, kind) })
    }

    /// Validated while the program was compiled. The summary is for a table of this many kernels.
    pub(crate) fn summarized(known: Summary, kernels: usize) -> (Self, summary::Summary) {
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

    pub(crate) fn shared(&self) -> Arc<Vec<u8>> {
        self.bytes.clone()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

pub(crate) enum NotLoaded {
    /// The driver is missing, or the context could not be made current.
    NotCalled(CallError),
    /// The driver's error; the log is in the options.
    Refused(DriverCall),
}

impl From<CallError> for NotLoaded {
    fn from(error: CallError) -> Self {
        Self::NotCalled(error)
    }
}

pub(crate) struct Module {
    api: &'static Api,
    handle: Handle<CUmod_st>,
    context: Arc<CudaContext>,
    state: ContextState,
}

impl Module {
    /// The logs are in `options` afterwards.
    pub(crate) fn load(
        context: &Arc<CudaContext>,
        image: &DriverImage,
        options: &mut DriverOptions,
    ) -> Result<Self, NotLoaded> {
        let api = api().map_err(CallError::from)?;
        make_current(context)?;
        let mut handle = ptr::null_mut();
        // SAFETY: `cuModuleLoadDataEx` takes a `DriverImage`, outside of which the driver reads no byte. The two arrays
        // of `DriverOptions` have `count` entries, and the data that they point to outlives the call.
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
            return Err(NotLoaded::Refused(DriverCall { call: "cuModuleLoadDataEx", status }));
        }
        Ok(Self { api, handle: Handle::new(handle), context: context.clone(), state: ContextState::of(api, context) })
    }

    fn alive(&self) -> Alive<'_, CUmod_st> {
        // SAFETY: the load call returned this handle, and only the drop of this value unloads the module.
        unsafe { Alive::new(self.handle.raw()) }
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    pub(super) fn state(&self) -> ContextState {
        self.state
    }

    /// Returns whether the context was reset since, if the driver reports it.
    pub(crate) fn is_over(&self) -> bool {
        self.state.is_over(self.api, &self.context)
    }

    pub(super) fn function(&self, symbol: &CStr) -> Result<Option<FunctionHandle<'_>>, CallError> {
        make_current(&self.context)?;
        let function = found(out(|function| self.api.cuModuleGetFunction(function, self.alive(), symbol.into())))?;
        // SAFETY: CUDA Driver API, "Module Management": a function is valid until its module is unloaded, which the
        // borrow prevents.
        Ok(function.map(|function| unsafe { Alive::new(function) }))
    }

    /// Returns the address and the size of a variable.
    pub(super) fn global(&self, name: &CStr) -> Result<Option<(CUdeviceptr, usize)>, CallError> {
        make_current(&self.context)?;
        let mut size = 0;
        let address = out(|address| self.api.cuModuleGetGlobal_v2(address, &mut size, self.alive(), name.into()));
        Ok(found(address)?.map(|address| (address, size)))
    }
}

fn found<T>(result: Result<T, CallError>) -> Result<Option<T>, CallError> {
    match result {
        Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_NOT_FOUND => Ok(None),
        found => found.map(Some),
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // The reset has unloaded the module.
        if self.is_over() {
            return;
        }
        // cudarc's `bind_to_thread` would return a pending error instead.
        let _ = self.api.cuCtxSetCurrent((&*self.context).into());
        // SAFETY: `cuModuleUnload`: the module is loaded, and nothing else unloads it. Every handle of its functions is
        // a borrow of this value, or belongs to a `Function` that holds this value.
        unsafe { (self.api.cuModuleUnload)(self.handle.raw()) };
    }
}

pub(crate) struct Linker {
    state: Owned<CUlinkState_st>,
    /// The driver writes to the logs while the linker is alive, so this field is dropped after it.
    options: Box<DriverOptions>,
}

impl Linker {
    /// The log of an error is in the options.
    pub(crate) fn new(mut options: Box<DriverOptions>) -> Result<Self, (CallError, Box<DriverOptions>)> {
        let created = api().map_err(CallError::from).and_then(|api| {
            // SAFETY: `cuLinkCreate`: the two arrays have `count` entries, and "must remain valid for the life of the
            // CUlinkState": the linker is destroyed before its options.
            let state =
                out(|state| unsafe { api.cuLinkCreate_v2(options.count(), options.keys(), options.values(), state) })?;
            // SAFETY: the call has created the linker, and only this value owns it.
            Ok(unsafe { Owned::new(api, state) })
        });
        match created {
            Ok(state) => Ok(Self { state, options }),
            Err(error) => Err((error, options)),
        }
    }

    pub(crate) fn options(&self) -> &DriverOptions {
        &self.options
    }

    /// `index` identifies the image in the log.
    pub(crate) fn add(&mut self, image: &DriverImage, index: usize) -> Result<(), CallError> {
        let name = CString::new(format!("image {index}")).unwrap_or_default();
        // SAFETY: `cuLinkAddData`: the linker is alive, the data are a `DriverImage` of this kind and size, the name
        // ends with NUL, and there are no options. "No reference is retained to any inputs after this call returns."
        unsafe {
            self.state.api.cuLinkAddData_v2(
                self.state.alive().raw(),
                image.kind,
                image.bytes.as_ptr().cast_mut().cast(),
                image.bytes.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        }
    }

    /// `None` if the linker has produced no output.
    pub(crate) fn complete(&mut self) -> Result<Option<DriverImage>, CallError> {
        let (mut cubin, mut size) = (ptr::null_mut(), 0);
        let (api, state) = (self.state.api, self.state.alive());
        api.cuLinkComplete(state, &mut cubin, &mut size)?;
        if cubin.is_null() || size == 0 {
            return Ok(None);
        }
        // SAFETY: `cuLinkComplete`: the linker owns the `size` bytes at this address until it is destroyed.
        let bytes = unsafe { slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec();
        // The driver created it.
        Ok(Some(DriverImage { bytes: Arc::new(bytes), kind: CUjitInputType::CU_JIT_INPUT_CUBIN }))
    }
}
