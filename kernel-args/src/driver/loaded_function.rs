//! A loaded function and what limits its launches.

use super::{
    api::{Api, Status, api},
    config::Launch,
    error::{Error, Limit},
    loaded::LoadedModule,
    shared_memory::{SHARED_WITHOUT_OPT_IN, allow, attribute, exceeded},
};
use crate::device::vector::Dim3;
use CUdevice_attribute as D;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream,
    sys::{CUdevice_attribute, CUfunction, CUfunction_attribute},
};
use std::{
    boxed::Box,
    ffi::CStr,
    format, ptr,
    string::String,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// A function in a loaded module, with everything that a launch needs.
pub(super) struct LoadedFunction {
    pub(super) api: &'static Api,
    handle: CUfunction,
    pub(super) name: String,
    pub(super) context: Arc<CudaContext>,
    pub(super) default_stream: Arc<CudaStream>,
    max_grid: Dim3,
    max_block: Dim3,
    max_threads: u32,
    required_block: Option<Dim3>,
    /// How much dynamic shared memory this function has been allowed at least, in bytes.
    shared: AtomicU32,
    max_shared: u32,
    loaded_by: LoadedBy,
}

/// What keeps a function loaded.
pub(super) enum LoadedBy {
    Module(#[expect(dead_code, reason = "held, not read")] Arc<LoadedModule>),
    Cudarc(CudaFunction),
}

// SAFETY: the driver's handles may be used from any thread; a launch makes the function's context current
// first, and everything else is `Send` and `Sync` itself.
unsafe impl Send for LoadedFunction {}
// SAFETY: as above.
unsafe impl Sync for LoadedFunction {}

impl LoadedFunction {
    /// Asks the driver for the function's limits.
    ///
    /// # Safety
    /// `handle` is a function that `loaded_by` keeps loaded in `context`.
    pub(super) unsafe fn new(
        handle: CUfunction,
        name: String,
        context: &Arc<CudaContext>,
        required_block: Option<Dim3>,
        loaded_by: LoadedBy,
    ) -> Result<Self, Error> {
        let api = api()?;
        context.bind_to_thread().map_err(Error::context)?;
        let device = |attribute| -> Result<u32, Error> {
            let value = context
                .attribute(attribute)
                .map_err(|error| Error::cudarc("cuDeviceGetAttribute", error))?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        // SAFETY: the caller vouches for the function, and its context is current.
        let shared = unsafe {
            attribute(
                handle,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            )
        }?;
        // SAFETY: as above.
        let max_threads = unsafe {
            attribute(
                handle,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            )
        }?;
        let opt_in = device(D::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        Ok(Self {
            api,
            handle,
            name,
            context: context.clone(),
            default_stream: context.default_stream(),
            max_grid: Dim3::new(
                device(D::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                device(D::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                device(D::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ),
            max_block: Dim3::new(
                device(D::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                device(D::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                device(D::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ),
            max_threads,
            required_block,
            shared: AtomicU32::new(SHARED_WITHOUT_OPT_IN.saturating_sub(shared)),
            max_shared: opt_in.saturating_sub(shared),
            loaded_by,
        })
    }

    /// cudarc's function, if cudarc loaded it.
    pub(super) fn cudarc(&self) -> Option<&CudaFunction> {
        match &self.loaded_by {
            LoadedBy::Cudarc(function) => Some(function),
            LoadedBy::Module(_) => None,
        }
    }

    #[inline(always)]
    pub(super) fn handle(&self) -> CUfunction {
        self.handle
    }

    /// Compares a launch with the limits of the device and the function, before the driver is called.
    #[inline(always)]
    pub(super) fn check(&self, launch: &Launch<'_>) -> Result<(), Error> {
        let within = |dim: Dim3, max: Dim3| {
            // `0 - 1` wraps, so that zero is above every limit.
            (dim.x.wrapping_sub(1) < max.x)
                & (dim.y.wrapping_sub(1) < max.y)
                & (dim.z.wrapping_sub(1) < max.z)
        };
        let (grid, block) = (launch.grid, launch.block);
        let fits = within(grid, self.max_grid)
            & within(block, self.max_block)
            & (block.count() <= u64::from(self.max_threads));
        let required = match self.required_block {
            Some(required) => required == block,
            None => true,
        };
        if !(fits & required) {
            return Err(self.exceeded(launch));
        }
        if launch.shared > self.shared.load(Ordering::Relaxed) {
            self.opt_in(launch.shared)?;
        }
        Ok(())
    }

    /// Allows the function `bytes` of dynamic shared memory, where the device has that much.
    #[cold]
    fn opt_in(&self, bytes: u32) -> Result<(), Error> {
        if bytes > self.max_shared {
            let limit = format!(
                "this device allows at most {} bytes for this kernel",
                self.max_shared
            );
            return Err(exceeded(self.name.clone(), bytes, limit));
        }
        self.context.bind_to_thread().map_err(Error::context)?;
        // SAFETY: the handle is of a function in a module that `loaded_by` keeps loaded, and its context is current.
        let allowed = unsafe { allow(self.handle, bytes, || self.name.clone()) }?;
        self.shared.fetch_max(allowed, Ordering::Relaxed);
        Ok(())
    }

    /// Which limit a launch exceeds.
    #[cold]
    fn exceeded(&self, launch: &Launch<'_>) -> Error {
        let (grid, block) = (launch.grid, launch.block);
        let has_zero = |dim: Dim3| dim.x == 0 || dim.y == 0 || dim.z == 0;
        let exceeds = |dim: Dim3, max: Dim3| dim.x > max.x || dim.y > max.y || dim.z > max.z;
        if has_zero(grid) {
            return self.limit(
                format!("grid {grid}"),
                "a grid has at least one block along each axis".into(),
                "for zero elements, do not launch the kernel",
            );
        }
        if has_zero(block) {
            return self.limit(
                format!("block {block}"),
                "a block has at least one thread along each axis".into(),
                "write 1 for an axis that is not used",
            );
        }
        if let Some(required) = self.required_block.filter(|required| *required != block) {
            return self.limit(
                format!("block {block}"),
                format!("this kernel is compiled for a block of exactly {required}"),
                "launch it with that block, which the kernel's `.reqntid` directive requires",
            );
        }
        if exceeds(grid, self.max_grid) {
            return self.limit(
                format!("grid {grid}"),
                format!("this device allows at most {}", self.max_grid),
                "have each thread process several elements, or split the launch",
            );
        }
        if exceeds(block, self.max_block) {
            return self.limit(
                format!("block {block}"),
                format!("this device allows at most {}", self.max_block),
                "use a smaller block and a larger grid",
            );
        }
        self.limit(
            format!("block {block}"),
            format!(
                "this kernel allows at most {} threads per block",
                self.max_threads
            ),
            "use a smaller block; the limit comes from the device, from the kernel's `__launch_bounds__`, or from the \
             registers that it uses",
        )
    }

    fn limit(&self, requested: String, limit: String, help: &'static str) -> Error {
        Error::Limit(Box::new(Limit {
            kernel: self.name.clone(),
            requested,
            limit,
            help,
        }))
    }
}

/// What stands for the name of a function whose driver does not tell it.
pub(super) const UNNAMED: &str = "(unnamed)";

/// The function's symbol, for messages; drivers before 12.3 do not tell it.
///
/// # Safety
/// `function` is loaded.
pub(super) unsafe fn function_name(function: CUfunction) -> String {
    let mut name = ptr::null();
    let get_name = api().ok().and_then(|api| api.cuFuncGetName);
    let found = get_name.is_some_and(|get_name| {
        // SAFETY: the caller vouches for the function; `name` outlives the call.
        unsafe { get_name(&raw mut name, function) == Status::SUCCESS }
    });
    if found && !name.is_null() {
        // SAFETY: the driver returned a text that ends with NUL and lives as long as the function.
        unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned()
    } else {
        String::from(UNNAMED)
    }
}
