//! Functions and their owners; launches: a function with matching parameters, and the call.

#[cfg(feature = "graphs")]
mod log;
#[cfg(feature = "graphs")]
mod step;

#[cfg(feature = "graphs")]
pub(crate) use log::{LaunchKeeper, LaunchLog};
#[cfg(feature = "graphs")]
pub(crate) use step::{Change, MemoryStep, RecordedLaunch, Shape, Step, Steps};
#[cfg(feature = "graphs")]
pub(super) use step::{MemoryOperation, push_captured_launch, push_captured_memory, push_parameter};

use super::{Alive, Api, CallError, ContextState, FunctionHandle, Handle, LaunchConfig, Module, Status, api, out};
use core::{ffi::c_void, marker::PhantomData, ptr};
use cudarc::driver::{
    CudaContext, CudaFunction,
    sys::{CUfunc_st, CUfunction, CUresult},
};
use std::{ffi::CStr, sync::Arc};

/// A function that stays loaded while this exists.
pub(crate) struct Function {
    handle: Handle<CUfunc_st>,
    keeper: Keeper,
}

enum Keeper {
    Module(Arc<Module>),
    Cudarc(CudaFunction, ContextState),
}

impl Function {
    pub(crate) fn of_module(module: &Arc<Module>, symbol: &CStr) -> Result<Option<Self>, CallError> {
        let of = |function: FunctionHandle<'_>| Self {
            handle: Handle::new(function.raw()),
            keeper: Keeper::Module(module.clone()),
        };
        Ok(module.function(symbol)?.map(of))
    }

    pub(crate) fn of_cudarc(api: &Api, context: &CudaContext, function: CudaFunction) -> Self {
        Self {
            handle: Handle::new(function.cu_function()),
            keeper: Keeper::Cudarc(function, ContextState::of(api, context)),
        }
    }

    #[inline(always)]
    pub(crate) fn alive(&self) -> FunctionHandle<'_> {
        // SAFETY: CUDA Driver API, "Module Management", `cuModuleUnload`: a function is valid until its module is
        // unloaded, which `keeper` prevents. Both constructors take the handle from the keeper.
        unsafe { Alive::new(self.handle.raw()) }
    }

    pub(crate) fn cudarc(&self) -> Option<&CudaFunction> {
        match &self.keeper {
            Keeper::Cudarc(function, _) => Some(function),
            Keeper::Module(_) => None,
        }
    }

    /// Returns whether its context, `context`, was reset since, if the driver reports it.
    pub(crate) fn is_over(&self, api: &Api, context: &CudaContext) -> bool {
        match &self.keeper {
            Keeper::Module(module) => module.is_over(),
            Keeper::Cudarc(_, state) => state.is_over(api, context),
        }
    }
}

pub(super) type LaunchKernelEx =
    unsafe extern "C" fn(*const LaunchConfig<'_>, CUfunction, *mut *mut c_void, *mut *mut c_void) -> Status;

/// The promise that a caller of an `unsafe` launch function makes for one launch, which lasts for `'p`: see
/// [`launch()`](crate::launch()).
pub struct Promise<'p>(PhantomData<&'p mut ()>);

impl<'p> Promise<'p> {
    /// # Safety
    /// For the one launch that takes this value, and returns within `'p`, the caller promises what
    /// [`launch()`](crate::launch()) requires.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(PhantomData)
    }

    /// `launch` requires that a raw function is loaded.
    #[expect(clippy::unused_self, reason = "it is the proof")]
    #[inline(always)]
    pub(crate) fn function(&self, function: CUfunction) -> FunctionHandle<'p> {
        // SAFETY: the caller of `launch` promises that the launched function is loaded during the launch.
        unsafe { Alive::new(function) }
    }
}

/// The promise that the caller of [`Recording::replay`](crate::replay::Recording::replay) makes for its launches.
///
/// ```
/// use kernel_args::replay::ReplayPromise;
///
/// // SAFETY: the recording is our own, and its kernel stays within its memory.
/// let promise = unsafe { ReplayPromise::new() };
/// ```
#[cfg(feature = "record")]
#[derive(Debug)]
pub struct ReplayPromise(());

#[cfg(feature = "record")]
impl ReplayPromise {
    /// # Safety
    /// The launches that take this value run a kernel whose code and arguments come from a file. The caller promises
    /// what [`launch()`](crate::launch()) requires: with these arguments, and with the grid, block and image of the
    /// options, the kernel stays within its memory. Otherwise it can overwrite everything that the GPU can access in
    /// this process, also memory of the host on some systems. The program `kernel-args replay` therefore runs it in a
    /// process of its own.
    #[must_use]
    pub unsafe fn new() -> Self {
        Self(())
    }

    #[expect(clippy::unused_self, reason = "it is the proof")]
    pub(crate) fn launch(&mut self) -> Promise<'_> {
        // SAFETY: the caller of `new` has promised it for this launch.
        unsafe { Promise::new() }
    }
}

#[cfg(feature = "graphs")]
fn recorded_function<'l>(address: u64) -> FunctionHandle<'l> {
    // SAFETY: only `step` calls this, with a function that its entry keeps loaded, or that the caller of `launch` keeps
    // loaded until the work of the sequence has finished.
    unsafe { Alive::new(ptr::with_exposed_provenance_mut(address as usize)) }
}

/// The keys for `extra` of `cuLaunchKernel`. cudarc has them only from `cuda-11070` on.
pub(super) const CU_LAUNCH_PARAM_END: *mut c_void = ptr::without_provenance_mut(0);
pub(super) const CU_LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = ptr::without_provenance_mut(1);
const CU_LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = ptr::without_provenance_mut(2);

/// The `extra` argument for a packed buffer.
pub(crate) struct Extra<'b>([*mut c_void; 5], PhantomData<(&'b [u8], &'b mut usize)>);

impl<'b> Extra<'b> {
    #[inline(always)]
    pub(crate) fn new(buffer: &'b [u8], size: &'b mut usize) -> Self {
        *size = buffer.len();
        let extra = [
            CU_LAUNCH_PARAM_BUFFER_POINTER,
            buffer.as_ptr().cast_mut().cast(),
            CU_LAUNCH_PARAM_BUFFER_SIZE,
            ptr::from_mut(size).cast(),
            CU_LAUNCH_PARAM_END,
        ];
        Self(extra, PhantomData)
    }
}

/// A function and matching parameters, in one of the two forms of `cuLaunchKernel`. Both are valid for `'p`.
#[derive(Clone, Copy)]
pub(crate) struct KernelCall<'p> {
    function: FunctionHandle<'p>,
    /// `kernelParams`; null for the packed form.
    pub(super) params: *mut *mut c_void,
    /// The array of an [`Extra`] that is borrowed for `'p`; null for `kernelParams`.
    pub(super) extra: *mut *mut c_void,
}

impl<'p> KernelCall<'p> {
    /// # Safety
    /// For `'p`, `params` has a pointer to each parameter of the function, and each pointer points to as many
    /// initialised bytes as the function reads for this parameter.
    #[inline(always)]
    pub(crate) unsafe fn with_params(function: FunctionHandle<'p>, params: *mut *mut c_void) -> Self {
        Self { function, params, extra: ptr::null_mut() }
    }

    /// # Safety
    /// The buffer of `extra` is the packed form of the function's parameters.
    #[inline(always)]
    pub(crate) unsafe fn with_extra(function: FunctionHandle<'p>, extra: &'p mut Extra<'_>) -> Self {
        Self { function, params: ptr::null_mut(), extra: extra.0.as_mut_ptr() }
    }

    #[cfg(any(feature = "graphs", feature = "observe"))]
    #[inline(always)]
    pub(crate) fn function(&self) -> FunctionHandle<'p> {
        self.function
    }

    #[cfg(any(feature = "graphs", feature = "observe"))]
    #[inline(always)]
    pub(crate) fn is_packed(&self) -> bool {
        !self.extra.is_null()
    }

    /// `None` for `kernelParams`.
    #[cfg(feature = "graphs")]
    #[inline(always)]
    fn packed(&self) -> Option<&'p [u8]> {
        if !self.is_packed() {
            return None;
        }
        // SAFETY: it is the array of an `Extra` that is borrowed for `'p`.
        let extra: &'p [*mut c_void; 5] = unsafe { &*self.extra.cast() };
        // SAFETY: `Extra::new` has stored the address of a size that is borrowed for at least as long.
        let size = unsafe { *extra[3].cast::<usize>() };
        // SAFETY: and of a buffer of this size that is borrowed for at least as long.
        Some(unsafe { core::slice::from_raw_parts(extra[1].cast(), size) })
    }
}

impl Api {
    /// Returns the offset and the size of each parameter; `None` if the driver is older than 12.4. The function's
    /// context must be current.
    pub(crate) fn parameters(&self, function: FunctionHandle<'_>) -> Result<Option<Vec<(usize, usize)>>, CallError> {
        if self.cuFuncGetParamInfo.is_none() {
            return Ok(None);
        }
        let has_count = self.cuFuncGetParamCount.is_some();
        let count = has_count.then(|| out(|count| self.cuFuncGetParamCount(function, count))).transpose()?;
        let mut places = Vec::new();
        while count != Some(places.len()) {
            let (mut offset, mut size) = (0, 0);
            match self.cuFuncGetParamInfo(function, places.len(), &mut offset, &mut size) {
                Ok(()) => places.push((offset, size)),
                // The index is past the last parameter.
                Err(CallError::Returned(call))
                    if count.is_none() && call.status == CUresult::CUDA_ERROR_INVALID_VALUE =>
                {
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Some(places))
    }

    /// Returns the function's symbol; `None` before 12.3.
    pub(crate) fn function_name(&self, function: FunctionHandle<'_>) -> Option<String> {
        let mut name = ptr::null();
        // SAFETY: `cuFuncGetName`: the function is alive, and the call writes to `name`.
        let status = unsafe { self.cuFuncGetName?(&mut name, function.raw()) };
        if status != Status::SUCCESS || name.is_null() {
            return None;
        }
        // SAFETY: the driver has returned a string that ends with NUL, "valid as long as the function handle is valid",
        // as it is here.
        let name = unsafe { CStr::from_ptr(name) };
        Some(name.to_string_lossy().into_owned())
    }

    /// `cuLaunchKernelEx`, or `cuLaunchKernel` if the driver is older than 11.8.
    #[inline(always)]
    pub(crate) fn launch(&self, config: &LaunchConfig<'_>, call: KernelCall<'_>, _: Promise<'_>) -> Status {
        // SAFETY: `cuLaunchKernelEx` reads the configuration, whose stream and attributes are alive. From `params` or
        // `extra` it reads as many bytes for each parameter as the function has (`KernelCall`), and copies them before
        // it returns. The caller of `launch` promises that the kernel may run.
        unsafe { (self.launch_kernel)(config, call.function.raw(), call.params, call.extra) }
    }
}

/// `cuLaunchKernel` with the arguments of `cuLaunchKernelEx`. An earlier check rejects launch attributes.
///
/// # Safety
/// As for `cuLaunchKernelEx`: `config` is valid for reads; the function is loaded; `params` or `extra` has its
/// parameters; the kernel may run.
pub(super) unsafe extern "C" fn launch_without_attributes(
    config: *const LaunchConfig<'_>,
    function: CUfunction,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Status {
    let Ok(api) = api() else {
        return Status(CUresult::CUDA_ERROR_NOT_INITIALIZED as u32);
    };
    // SAFETY: the caller guarantees that it is valid for reads.
    let config = unsafe { config.read() };
    if config.attribute_count != 0 {
        return Status(CUresult::CUDA_ERROR_NOT_SUPPORTED as u32);
    }
    let LaunchConfig { grid, block, shared, stream, .. } = config;
    // SAFETY: `cuLaunchKernel` takes the parameters in the same form as `cuLaunchKernelEx`. The caller guarantees that
    // they are valid, that the function is loaded and that the kernel may run. The stream of a configuration is alive.
    unsafe {
        (api.cuLaunchKernel)(
            function,
            grid[0],
            grid[1],
            grid[2],
            block[0],
            block[1],
            block[2],
            shared,
            stream.raw(),
            params,
            extra,
        )
    }
}
