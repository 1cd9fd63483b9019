//! A loaded function and what limits its launches.

use super::{
    api::{Api, api},
    error::{Error, Limit},
    geometry::Dim,
    launch::Launch,
    module::Module,
};
use CUdevice_attribute as D;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream,
    sys::{CUdevice_attribute, CUfunction, CUfunction_attribute},
};
use std::{
    boxed::Box,
    format,
    string::String,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// How much dynamic and static shared memory a block may have without opting in, in bytes.
const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;

/// A function in a loaded module, with everything that a launch wants to know of it.
pub(super) struct Function {
    pub(super) api: &'static Api,
    handle: CUfunction,
    pub(super) name: String,
    pub(super) context: Arc<CudaContext>,
    pub(super) default_stream: Arc<CudaStream>,
    max_grid: Dim,
    max_block: Dim,
    max_threads: u32,
    required_block: Option<Dim>,
    /// The most dynamic shared memory that this function has been allowed, in bytes.
    shared: AtomicU32,
    max_shared: u32,
    _owner: Owner,
}

/// What keeps a function loaded.
pub(super) enum Owner {
    Module(#[expect(dead_code, reason = "held, not read")] Arc<Module>),
    Cudarc(#[expect(dead_code, reason = "held, not read")] CudaFunction),
}

// SAFETY: the driver's handles may be used from any thread; a launch makes the function's context current
// first, and everything else is `Send` and `Sync` itself.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// Asks the driver for the function's limits.
    pub(super) fn new(
        handle: CUfunction,
        name: String,
        context: &Arc<CudaContext>,
        required_block: Option<Dim>,
        owner: Owner,
    ) -> Result<Self, Error> {
        let api = api()?;
        context.bind_to_thread().map_err(Error::current)?;
        let device = |attribute| -> Result<u32, Error> {
            let value = context.attribute(attribute).map_err(Error::current)?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        let shared = attribute(
            handle,
            CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        )?;
        let opt_in = device(D::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        Ok(Self {
            api,
            handle,
            name,
            context: context.clone(),
            default_stream: context.default_stream(),
            max_grid: Dim::new(
                device(D::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                device(D::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                device(D::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ),
            max_block: Dim::new(
                device(D::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                device(D::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                device(D::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ),
            max_threads: attribute(
                handle,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            )?,
            required_block,
            shared: AtomicU32::new(SHARED_WITHOUT_OPT_IN.saturating_sub(shared)),
            max_shared: opt_in.saturating_sub(shared),
            _owner: owner,
        })
    }

    #[inline(always)]
    pub(super) fn handle(&self) -> CUfunction {
        self.handle
    }

    /// Refuses what the device or the function cannot do, before the driver is asked.
    #[inline(always)]
    pub(super) fn check(&self, launch: &Launch<'_>) -> Result<(), Error> {
        let within = |dim: Dim, max: Dim| {
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
            return Err(self.refuse(launch));
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
            return Err(self.limit(
                format!("it was to have {bytes} bytes of dynamic shared memory"),
                format!(
                    "this device gives it at most {} (beside its static shared memory)",
                    self.max_shared
                ),
            ));
        }
        self.context.bind_to_thread().map_err(Error::current)?;
        // SAFETY: the handle is of a function in a module that `_owner` keeps loaded.
        let status = unsafe {
            (self.api.cuFuncSetAttribute)(
                self.handle,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                bytes.cast_signed(),
            )
        };
        status.check("cuFuncSetAttribute")?;
        self.shared.fetch_max(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Which limit a launch is beyond.
    #[cold]
    fn refuse(&self, launch: &Launch<'_>) -> Error {
        let (grid, block) = (launch.grid, launch.block);
        let zero = |dim: Dim| dim.x == 0 || dim.y == 0 || dim.z == 0;
        if zero(grid) {
            return self.limit(
                format!("its grid was to be {grid}"),
                "a grid has at least one block along each axis: for no elements, do not launch"
                    .into(),
            );
        }
        if zero(block) {
            return self.limit(
                format!("its block was to be {block}"),
                "a block has at least one thread along each axis".into(),
            );
        }
        if let Some(required) = self.required_block.filter(|required| *required != block) {
            return self.limit(
                format!("its block was to be {block}"),
                format!("the kernel requires exactly {required} (`.reqntid`)"),
            );
        }
        let axes = |dim: Dim, max: Dim| dim.x > max.x || dim.y > max.y || dim.z > max.z;
        if axes(grid, self.max_grid) {
            return self.limit(
                format!("its grid was to be {grid}"),
                format!("this device allows at most {}", self.max_grid),
            );
        }
        if axes(block, self.max_block) {
            return self.limit(
                format!("its block was to be {block}"),
                format!("this device allows at most {}", self.max_block),
            );
        }
        self.limit(
            format!("its block was to be {block}, {} threads", block.count()),
            format!(
                "this kernel runs with at most {} threads per block on this device (`.maxntid`, or its registers)",
                self.max_threads
            ),
        )
    }

    fn limit(&self, asked: String, limit: String) -> Error {
        Error::Limit(Box::new(Limit {
            kernel: self.name.clone(),
            asked,
            limit,
        }))
    }
}

fn attribute(handle: CUfunction, attribute: CUfunction_attribute) -> Result<u32, Error> {
    let mut value = 0;
    // SAFETY: the caller has a function of a loaded module, and its context is current; `value` outlives the call.
    let status = unsafe { (api()?.cuFuncGetAttribute)(&raw mut value, attribute, handle) };
    status.check("cuFuncGetAttribute")?;
    Ok(u32::try_from(value).unwrap_or(0))
}
