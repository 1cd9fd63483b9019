//! A loaded function and what limits its launches.

use super::{
    api::{Api, Status, api},
    attributes::{AttributeLimits, divides, grid_of_clusters},
    config::Launch,
    context::sm,
    context_state::ContextState,
    error::{Error, Limit},
    function_attribute as attribute,
    image::Description,
    loaded::LoadedModule,
    shared_memory::{SHARED_WITHOUT_OPT_IN, allow, exceeded},
};
use crate::{device::vector::Dim3, marshal::ContextName};
use CUdevice_attribute as D;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream,
    sys::{CUdevice_attribute, CUfunction},
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
    pub(super) max_grid: Dim3,
    /// The threads of the block with which the GPU is busiest; 0 until it was asked for.
    pub(super) best_block: AtomicU32,
    max_block: Dim3,
    pub(super) max_threads: u32,
    /// The most threads of a launch that does not give `shared`: 0 where the kernel uses dynamic shared memory. A launch
    /// compares with one of the two limits, and which one is known while it is compiled.
    max_threads_without_shared: u32,
    pub(super) required_block: Option<Dim3>,
    pub(super) attribute_limits: AttributeLimits,
    /// Whether the kernel is compiled for a block or a cluster of one size.
    has_required_size: bool,
    /// How much dynamic shared memory this function has been allowed at least, in bytes.
    shared: AtomicU32,
    max_shared: u32,
    loaded_by: LoadedBy,
}

/// What keeps a function loaded.
pub(super) enum LoadedBy {
    Module(Arc<LoadedModule>),
    Cudarc(CudaFunction, ContextState),
}

// SAFETY: the driver's handles may be used from any thread; a launch makes the function's context current
// first, and everything else is `Send` and `Sync` itself.
unsafe impl Send for LoadedFunction {}
// SAFETY: as above.
unsafe impl Sync for LoadedFunction {}

impl LoadedFunction {
    /// Asks the driver for the function's limits; `description` is what its image says of it, if it could be read.
    ///
    /// # Safety
    /// `handle` is a function that `loaded_by` keeps loaded in `context`.
    pub(super) unsafe fn new(
        handle: CUfunction,
        name: String,
        context: &Arc<CudaContext>,
        description: Option<&Description>,
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
        let shared = unsafe { attribute::get(handle, attribute::SHARED_SIZE_BYTES) }?;
        // SAFETY: as above.
        let max_threads = unsafe { attribute::get(handle, attribute::MAX_THREADS_PER_BLOCK) }?;
        let required_block = description.and_then(|kernel| kernel.required_block);
        let directives = description.map(|kernel| kernel.cluster).unwrap_or_default();
        // SAFETY: as above.
        let attribute_limits = unsafe { AttributeLimits::ask(handle, sm(context)?, directives) }?;
        let has_required_size = required_block.is_some()
            || attribute_limits.required_cluster.is_some()
            || directives.explicit;
        let opt_in = device(D::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        Ok(Self {
            api,
            handle,
            name,
            context: context.clone(),
            default_stream: context.default_stream(),
            best_block: AtomicU32::new(0),
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
            max_threads_without_shared: match description {
                Some(kernel) if kernel.dynamic_shared => 0,
                _ => max_threads,
            },
            required_block,
            attribute_limits,
            has_required_size,
            shared: AtomicU32::new(SHARED_WITHOUT_OPT_IN.saturating_sub(shared)),
            max_shared: opt_in.saturating_sub(shared),
            loaded_by,
        })
    }

    /// cudarc's function, if cudarc loaded it.
    pub(super) fn cudarc(&self) -> Option<&CudaFunction> {
        match &self.loaded_by {
            LoadedBy::Cudarc(function, _) => Some(function),
            LoadedBy::Module(_) => None,
        }
    }

    /// An error where the context was reset since the function was loaded, as far as the driver tells.
    pub(super) fn require_loaded(&self) -> Result<(), Error> {
        let is_over = match &self.loaded_by {
            LoadedBy::Module(module) => module.is_over(),
            LoadedBy::Cudarc(_, state) => state.is_over(self.api, &self.context),
        };
        if !is_over {
            return Ok(());
        }
        Err(Error::ContextDestroyed {
            kernel: Some(self.name.clone()),
            context: ContextName::of(&self.context),
            call: None,
        })
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
        let max_threads = if launch.shared_given {
            self.max_threads
        } else {
            self.max_threads_without_shared
        };
        let fits = within(grid, self.max_grid)
            & within(block, self.max_block)
            & (block.count() <= u64::from(max_threads));
        if !fits | self.has_required_size {
            let named = launch.attributes.and_then(|attributes| attributes.cluster);
            // Numbers: a `Dim3` is passed by reference, which would keep it in memory in every launch.
            let (x, y, z) = (block.x, block.y, block.z);
            self.check_sizes(
                grid.x,
                grid.y,
                grid.z,
                x,
                y,
                z,
                named.is_some(),
                launch.shared_given,
            )?;
        }
        self.allow_shared(launch.shared)
    }

    /// Allows the function `bytes` of dynamic shared memory; nothing is done where it was allowed as much before.
    #[inline(always)]
    pub(super) fn allow_shared(&self, bytes: u32) -> Result<(), Error> {
        if bytes > self.shared.load(Ordering::Relaxed) {
            self.opt_in(bytes)?;
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

    /// Which limit a launch exceeds, if it does; and whether block and cluster are those that the kernel is compiled for.
    /// A cluster that the launch names is compared with the other attributes.
    #[cold]
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "passed in registers")]
    fn check_sizes(
        &self,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        names_cluster: bool,
        shared_given: bool,
    ) -> Result<(), Error> {
        let grid = Dim3::new(grid_x, grid_y, grid_z);
        let block = Dim3::new(block_x, block_y, block_z);
        self.check_limits(grid, block)?;
        if let Some(required) = self.required_block.filter(|required| *required != block) {
            return Err(self.limit(
                format!("block {block}"),
                format!("this kernel is compiled for a block of exactly {required}"),
                "launch it with that block, which the kernel's `.reqntid` directive requires",
            ));
        }
        if !shared_given && self.max_threads_without_shared == 0 {
            return Err(self.limit(
                "a launch without `shared`".into(),
                "this kernel uses dynamic shared memory (`extern __shared__`)".into(),
                "add `shared = bytes`, the size of that memory for one block; `shared = 0` if this launch uses none of it",
            ));
        }
        if names_cluster {
            return Ok(());
        }
        let directives = self.attribute_limits.directives;
        match self.attribute_limits.required_cluster {
            Some(cluster) if !directives.blocks_are_clusters && !divides(cluster, grid) => Err(
                grid_of_clusters(self.name.clone(), "the kernel's cluster", cluster, grid),
            ),
            None if directives.explicit => Err(self.limit(
                "a launch without a cluster".into(),
                "this kernel is compiled for clusters of a size that each launch names (`.explicitcluster`)".into(),
                "name it, for example `cluster = (2, 1, 1)`",
            )),
            _ => Ok(()),
        }
    }

    /// Compares grid and block with the limits of the device and the function.
    fn check_limits(&self, grid: Dim3, block: Dim3) -> Result<(), Error> {
        let has_zero = |dim: Dim3| dim.x == 0 || dim.y == 0 || dim.z == 0;
        let exceeds = |dim: Dim3, max: Dim3| dim.x > max.x || dim.y > max.y || dim.z > max.z;
        let (requested, limit, help) = if has_zero(grid) {
            (
                format!("grid {grid}"),
                "a grid has at least one block along each axis".into(),
                "for zero elements, do not launch the kernel",
            )
        } else if has_zero(block) {
            (
                format!("block {block}"),
                "a block has at least one thread along each axis".into(),
                "write 1 for an axis that is not used",
            )
        } else if exceeds(grid, self.max_grid) {
            (
                format!("grid {grid}"),
                format!("this device allows at most {}", self.max_grid),
                "have each thread process several elements, or split the launch",
            )
        } else if self
            .required_block
            .is_some_and(|required| required != block)
        {
            // It is refused for the one that is required.
            return Ok(());
        } else if exceeds(block, self.max_block) {
            (
                format!("block {block}"),
                format!("this device allows at most {}", self.max_block),
                "use a smaller block and a larger grid",
            )
        } else if block.count() > u64::from(self.max_threads) {
            (
                format!("block {block}"),
                format!(
                    "this kernel allows at most {} threads per block",
                    self.max_threads
                ),
                "use a smaller block; the limit comes from the device, from the kernel's `__launch_bounds__`, or from the \
                 registers that it uses",
            )
        } else {
            return Ok(());
        };
        Err(self.limit(requested, limit, help))
    }

    pub(super) fn limit(&self, requested: String, limit: String, help: &'static str) -> Error {
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
