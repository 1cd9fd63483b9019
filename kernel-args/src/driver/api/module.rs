//! Images for the driver, and modules.

use super::{
    Alive, Api, CallError, ContextState, DriverCall, DriverOptions, FunctionHandle, Handle, Status, api, make_current,
};
use crate::marshal::Summary;
use core::ptr;
use cudarc::driver::{
    CudaContext,
    sys::{CUdeviceptr, CUjitInputType, CUmod_st, CUresult},
};
use kernel_args_image::{self as image, summary};
use std::{ffi::CStr, sync::Arc, vec::Vec};

/// The driver receives no length, so this is PTX that ends with NUL, or a cubin or fat binary whose headers refer only to bytes inside
/// the image.
pub(crate) struct DriverImage {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) kind: CUjitInputType,
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

    pub(crate) fn shared(&self) -> Arc<Vec<u8>> {
        self.bytes.clone()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

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
        // SAFETY: `cuModuleLoadDataEx` takes a cubin, PTX that ends with NUL, or a fat binary: a `DriverImage`, outside of which the
        // driver reads no byte. The two arrays of `DriverOptions` have `count` entries, and the data that they point to outlives the call.
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

    /// Whether the context was reset since the module was loaded; `false` if the driver does not report it.
    pub(crate) fn is_over(&self) -> bool {
        self.state.is_over(self.api, &self.context)
    }

    /// `None` if the module has no function of that name.
    pub(super) fn function(&self, symbol: &CStr) -> Result<Option<FunctionHandle<'_>>, CallError> {
        make_current(&self.context)?;
        let mut function = ptr::null_mut();
        let found = self.api.cuModuleGetFunction(&mut function, self.alive(), symbol.into());
        // SAFETY: CUDA Driver API, "Module Management": a function of a module is valid until the module is unloaded,
        // which the borrow prevents.
        Ok(is_found(found)?.then(|| unsafe { Alive::new(function) }))
    }

    /// The address and the size of a variable; `None` if the module has no variable of that name.
    pub(super) fn global(&self, name: &CStr) -> Result<Option<(CUdeviceptr, usize)>, CallError> {
        make_current(&self.context)?;
        let (mut address, mut size) = (0, 0);
        let found = self.api.cuModuleGetGlobal_v2(&mut address, &mut size, self.alive(), name.into());
        Ok(is_found(found)?.then_some((address, size)))
    }
}

fn is_found(found: Result<(), CallError>) -> Result<bool, CallError> {
    match found {
        Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_NOT_FOUND => Ok(false),
        found => found.map(|()| true),
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // The reset has unloaded the module, so its handle is invalid.
        if self.is_over() {
            return;
        }
        // cudarc's `bind_to_thread` would return a pending error instead. `Drop` cannot report the errors of both calls.
        let _ = self.api.cuCtxSetCurrent((&*self.context).into());
        // SAFETY: `cuModuleUnload`: the module is loaded, and nothing else unloads it. Every handle of its functions is a borrow of this
        // value, or belongs to a `Function` that holds this value.
        unsafe { (self.api.cuModuleUnload)(self.handle.raw()) };
    }
}
