//! Images for the driver, modules, and the driver's linker.

use super::{
    Alive, Api, CallError, ContextState, DriverCall, DriverOptions, FunctionHandle, Handle, Status,
    api,
    handle::{Destroyed, Owned},
};
use crate::marshal::Summary;
use core::{ptr, slice};
use cudarc::driver::{
    CudaContext,
    sys::{CUdeviceptr, CUjitInputType, CUlinkState_st, CUmod_st, CUresult},
};
use kernel_args_image::{self as image, summary};
use std::{
    boxed::Box,
    ffi::{CStr, CString},
    format,
    sync::Arc,
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
        Self {
            bytes: Arc::new(bytes),
            kind,
        }
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
        Ok(Self {
            api,
            handle: Handle::new(handle),
            context: context.clone(),
            state: ContextState::of(api, context),
        })
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

    /// `cuModuleGetGlobal`: address and size in bytes.
    pub(crate) fn global(&self, name: &CStr) -> Result<(CUdeviceptr, usize), CallError> {
        self.context.bind_to_thread().map_err(CallError::context)?;
        let (mut address, mut size) = (0, 0);
        let (api, module) = (self.api, self.alive());
        api.cuModuleGetGlobal_v2(&mut address, &mut size, module, name.into())?;
        Ok((address, size))
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
    pub(crate) fn new(
        mut options: Box<DriverOptions>,
    ) -> Result<Self, (CallError, Box<DriverOptions>)> {
        let api = match api() {
            Ok(api) => api,
            Err(unavailable) => return Err((unavailable.into(), options)),
        };
        let mut state = ptr::null_mut();
        // SAFETY: CUDA Driver API, "Module Management", `cuLinkCreate`: the two arrays have `count` entries, and
        // "optionValues must remain valid for the life of the CUlinkState if output options are used": the linker is
        // destroyed before its options.
        let status = unsafe {
            (api.cuLinkCreate_v2)(
                options.count(),
                options.keys(),
                options.values(),
                &mut state,
            )
        };
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
        Ok(Some(DriverImage {
            bytes: Arc::new(bytes),
            kind: CUjitInputType::CU_JIT_INPUT_CUBIN,
        }))
    }
}
