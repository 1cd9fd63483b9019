//! A loaded module that this crate owns: `CUmodule`.

use super::ImageBytes;
use crate::driver::{
    api::{Api, Status, api},
    config::DriverOptions,
    context::ContextState,
    error::{DriverCall, Error},
};
use core::ptr;
use cudarc::driver::{
    CudaContext,
    sys::{CUdeviceptr, CUfunction, CUmodule, CUresult},
};
use std::{ffi::CStr, string::String, sync::Arc};

/// A loaded `CUmodule`, unloaded when this is dropped.
pub(crate) struct LoadedModule {
    api: &'static Api,
    handle: CUmodule,
    pub(crate) context: Arc<CudaContext>,
    state: ContextState,
}

// SAFETY: the driver's module handle may be used from any thread.
unsafe impl Send for LoadedModule {}
// SAFETY: as above.
unsafe impl Sync for LoadedModule {}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        // A reset has unloaded the module, and its handle is no longer one.
        if self.is_over() {
            return;
        }
        // Not `bind_to_thread`, which returns a pending error of cudarc's instead of making the context current.
        // An error of either call has no receiver here, and is not one of whatever is called next.
        // SAFETY: the context is alive, because this holds it.
        unsafe { (self.api.cuCtxSetCurrent)(self.context.cu_ctx()) };
        // SAFETY: the handle is this module's own, and its functions hold the module.
        unsafe { (self.api.cuModuleUnload)(self.handle) };
    }
}

impl LoadedModule {
    /// `cuModuleLoadDataEx`; the logs are in `options` afterwards.
    pub(crate) fn load(
        context: &Arc<CudaContext>,
        image: &ImageBytes,
        options: &mut DriverOptions,
    ) -> Result<Self, Error> {
        let api = api()?;
        context.bind_to_thread().map_err(Error::context)?;
        let mut handle = ptr::null_mut();
        // SAFETY: `ImageBytes` ends PTX with NUL, and everything that the headers of a cubin or fat binary place lies
        // inside of its bytes (`image::validate` lists what was checked). The option arrays have `count` entries, and the
        // logs that they point to outlive the call.
        let status = unsafe {
            (api.cuModuleLoadDataEx)(
                &raw mut handle,
                image.bytes.as_ptr().cast(),
                options.count(),
                options.keys(),
                options.values(),
            )
        };
        check_with_log("cuModuleLoadDataEx", status, options)?;
        Ok(Self {
            api,
            handle,
            context: context.clone(),
            state: ContextState::of(api, context),
        })
    }

    /// Whether the context was reset since the module was loaded, as far as the driver tells.
    pub(crate) fn is_over(&self) -> bool {
        self.state.is_over(self.api, &self.context)
    }

    /// `cuModuleGetFunction`; `None` where the module has no function of that name.
    pub(crate) fn function(&self, symbol: &CStr) -> Result<Option<CUfunction>, Error> {
        self.context.bind_to_thread().map_err(Error::context)?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, and `symbol` ends with NUL.
        let status = unsafe {
            (self.api.cuModuleGetFunction)(&raw mut function, self.handle, symbol.as_ptr())
        };
        if status == CUresult::CUDA_ERROR_NOT_FOUND {
            return Ok(None);
        }
        status.check("cuModuleGetFunction")?;
        Ok(Some(function))
    }

    /// `cuModuleGetGlobal`: address and size in bytes.
    pub(crate) fn global(&self, name: &CStr) -> Result<(CUdeviceptr, usize), Error> {
        self.context.bind_to_thread().map_err(Error::context)?;
        let (mut address, mut size) = (0, 0);
        // SAFETY: the module is loaded, and `name` ends with NUL.
        let status = unsafe {
            (self.api.cuModuleGetGlobal_v2)(
                &raw mut address,
                &raw mut size,
                self.handle,
                name.as_ptr(),
            )
        };
        status.check("cuModuleGetGlobal")?;
        Ok((address, size))
    }
}

/// The error of a call that compiles or links, with the error log.
pub(crate) fn check_with_log(
    call: &'static str,
    status: Status,
    options: &DriverOptions,
) -> Result<(), Error> {
    if status == Status::SUCCESS {
        return Ok(());
    }
    Err(Error::Load {
        call: DriverCall { call, status },
        log: options.error_log(),
        explanation: String::new(),
    })
}
