//! Functions, and what keeps them loaded.

use super::{Alive, Api, CallError, ContextState, FunctionHandle, Handle, Module, Status};
use core::ptr;
use cudarc::driver::{
    CudaContext, CudaFunction,
    sys::{CUfunc_st, CUresult},
};
use std::{ffi::CStr, string::String, sync::Arc};

/// A function that is loaded as long as this is.
pub(crate) struct Function {
    handle: Handle<CUfunc_st>,
    keeper: Keeper,
}

/// What keeps a function loaded.
enum Keeper {
    Module(Arc<Module>),
    Cudarc(CudaFunction, ContextState),
}

impl Function {
    /// `cuModuleGetFunction`; `None` where the module has no function of that name.
    pub(crate) fn of_module(
        module: &Arc<Module>,
        symbol: &CStr,
    ) -> Result<Option<Self>, CallError> {
        let handle = match module.function(symbol) {
            Ok(handle) => Handle::new(handle.raw()),
            Err(CallError::Returned(call)) if call.status == CUresult::CUDA_ERROR_NOT_FOUND => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let keeper = Keeper::Module(module.clone());
        Ok(Some(Self { handle, keeper }))
    }

    /// cudarc's function, which was loaded in `context`.
    pub(crate) fn of_cudarc(api: &Api, context: &CudaContext, function: CudaFunction) -> Self {
        Self {
            handle: Handle::new(function.cu_function()),
            keeper: Keeper::Cudarc(function, ContextState::of(api, context)),
        }
    }

    #[inline(always)]
    pub(crate) fn alive(&self) -> FunctionHandle<'_> {
        // SAFETY: CUDA Driver API, "Module Management", `cuModuleUnload`: a function is valid until its module is unloaded, which
        // `keeper` prevents; both constructors take the handle of the keeper.
        unsafe { Alive::new(self.handle.raw()) }
    }

    /// cudarc's function, if cudarc loaded it.
    pub(crate) fn cudarc(&self) -> Option<&CudaFunction> {
        match &self.keeper {
            Keeper::Cudarc(function, _) => Some(function),
            Keeper::Module(_) => None,
        }
    }

    /// Whether `context`, in which it was loaded, was reset since, as far as the driver reports it.
    pub(crate) fn is_over(&self, api: &Api, context: &CudaContext) -> bool {
        match &self.keeper {
            Keeper::Module(module) => module.is_over(),
            Keeper::Cudarc(_, state) => state.is_over(api, context),
        }
    }
}

impl Api {
    /// `cuFuncGetName`: the function's symbol; `None` where the driver is older than 12.3.
    pub(crate) fn function_name(&self, function: FunctionHandle<'_>) -> Option<String> {
        let mut name = ptr::null();
        // SAFETY: CUDA Driver API, "Execution Control", `cuFuncGetName`: it takes a function, which is alive, and a place, which it writes.
        let status = unsafe { self.cuFuncGetName?(&mut name, function.raw()) };
        if status != Status::SUCCESS || name.is_null() {
            return None;
        }
        // SAFETY: the driver has returned a text that ends with NUL, "valid as long as the function handle is valid", which it is.
        let name = unsafe { CStr::from_ptr(name) };
        Some(name.to_string_lossy().into_owned())
    }
}
