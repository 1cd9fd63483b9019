#[cfg(feature = "observe")]
use crate::driver::image::PointerUses;
use crate::{
    device::vector::Dim3,
    driver::{
        api::{self, Api, FunctionHandle, api},
        attributes::AttributeLimits,
        context::{make_current, sm},
        error::Error,
        image::Description,
        query::{SHARED_WITHOUT_OPT_IN, attribute, device_attribute, max_sizes},
    },
};
use cudarc::driver::{CudaContext, CudaStream};
#[cfg(feature = "observe")]
use std::sync::OnceLock;
use std::sync::{Arc, atomic::AtomicU32};

pub(crate) struct LoadedFunction {
    pub(crate) api: &'static Api,
    pub(super) function: api::Function,
    pub(crate) name: String,
    pub(crate) context: Arc<CudaContext>,
    pub(crate) default_stream: Arc<CudaStream>,
    pub(crate) max_grid: Dim3,
    /// The threads of the block with the highest occupancy; 0 until it is computed.
    pub(crate) best_block: AtomicU32,
    pub(super) max_block: Dim3,
    pub(crate) max_threads: u32,
    /// Up to this number of threads, a launch with `shared` is within the limits: 0 if the kernel is compiled for a
    /// fixed size of block or cluster. A launch compares with this number or the next one; the compiler knows which
    /// one.
    pub(super) simple_threads: u32,
    /// For a launch without `shared`: 0 also if the kernel uses dynamic shared memory.
    pub(super) simple_threads_without_shared: u32,
    pub(super) dynamic_shared: bool,
    pub(crate) required_block: Option<Dim3>,
    pub(crate) attribute_limits: AttributeLimits,
    /// The dynamic shared memory that this function is known to be allowed, in bytes.
    pub(super) shared: AtomicU32,
    pub(super) max_shared: u32,
    /// The name of the module's image, for events.
    #[cfg(feature = "observe")]
    pub(crate) module: OnceLock<Arc<str>>,
    #[cfg(feature = "record")]
    pub(crate) image: OnceLock<Arc<Vec<u8>>>,
    /// What its code does with pointers, if pointers are checked.
    #[cfg(feature = "observe")]
    pub(crate) pointer_uses: Option<Arc<PointerUses>>,
}

impl LoadedFunction {
    /// `description` contains the information of its image, if the image could be read.
    pub(crate) fn new(
        function: api::Function,
        name: String,
        context: &Arc<CudaContext>,
        description: Option<&Description>,
    ) -> Result<Self, Error> {
        /// `CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`.
        const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: u32 = 97;
        let api = api()?;
        make_current(context)?;
        let [max_grid, max_block] = max_sizes()?;
        let handle = function.alive();
        #[cfg(feature = "observe")]
        if let Some(uses) = description.and_then(|kernel| kernel.pointer_uses.as_ref()) {
            uses.register(handle.raw());
        }
        let shared = attribute::get(handle, attribute::SHARED_SIZE_BYTES)?;
        let max_threads = attribute::get(handle, attribute::MAX_THREADS_PER_BLOCK)?;
        let directives = description.map(|kernel| kernel.directives).unwrap_or_default();
        let attribute_limits = AttributeLimits::ask(handle, sm(context)?, directives)?;
        let simple_threads = if attribute_limits.require_sizes() { 0 } else { max_threads };
        let dynamic_shared = description.is_some_and(|kernel| kernel.dynamic_shared);
        let opt_in = device_attribute(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        Ok(Self {
            api,
            function,
            name,
            context: context.clone(),
            default_stream: context.default_stream(),
            best_block: AtomicU32::new(0),
            max_grid,
            max_block,
            max_threads,
            simple_threads,
            simple_threads_without_shared: if dynamic_shared { 0 } else { simple_threads },
            dynamic_shared,
            required_block: directives.required_threads.map(|[x, y, z]| Dim3::new(x, y, z)),
            attribute_limits,
            shared: AtomicU32::new(SHARED_WITHOUT_OPT_IN.saturating_sub(shared)),
            max_shared: opt_in.saturating_sub(shared),
            #[cfg(feature = "observe")]
            pointer_uses: description.and_then(|kernel| kernel.pointer_uses.clone()),
            #[cfg(feature = "observe")]
            module: OnceLock::new(),
            #[cfg(feature = "record")]
            image: OnceLock::new(),
        })
    }

    #[inline(always)]
    pub(crate) fn handle(&self) -> FunctionHandle<'_> {
        self.function.alive()
    }
}
