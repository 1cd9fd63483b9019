//! Properties of a kernel.

use super::kernel::Kernel;
use crate::{
    device::vector::Dim3,
    driver::{
        config::{IntoDim, Launch, SharedMemoryMode},
        error::Error,
        function::BlockSuggestion,
        query::attribute,
    },
    marshal::KernelArgs,
};

macro_rules! resources {
    ($($(#[$doc:meta])* $name:ident = $attribute:ident;)*) => {
        /// # Resources of the kernel
        /// CUDA Driver API, `CUfunction_attribute`. Each method makes the kernel's context current and queries the
        /// driver.
        impl<A: KernelArgs> Kernel<A> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// [`Error::Driver`].
            pub fn $name(&self) -> Result<u32, Error> {
                self.function().attribute(attribute::$attribute)
            }
        )*}
    };
}

resources! {
    /// Registers per thread.
    registers = NUM_REGS;
    /// Static shared memory per block, in bytes.
    static_shared_memory = SHARED_SIZE_BYTES;
    /// Local memory per thread, in bytes: arrays and spilled registers.
    local_memory = LOCAL_SIZE_BYTES;
    /// Constant memory that the program declares (`__constant__`), in bytes.
    constant_memory = CONST_SIZE_BYTES;
    /// The virtual architecture for which the kernel was compiled: 75 is compute_75.
    ptx_version = PTX_VERSION;
    /// The GPU for which the loaded code was compiled: 90 is sm_90.
    binary_version = BINARY_VERSION;
}

impl<A: KernelArgs> Kernel<A> {
    /// Returns the maximum number of threads per block. Registers and `__launch_bounds__` can lower it below the GPU's
    /// limit.
    #[must_use]
    pub fn max_threads_per_block(&self) -> u32 {
        self.function().max_threads
    }

    /// Returns whether kernels can update nodes of this kernel: [`Launch::device_updatable_node`]. `None` before CUDA
    /// 13.3.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn supports_device_node_update(&self) -> Result<Option<bool>, Error> {
        let value = self.function().newer_attribute(attribute::DEVICE_NODE_UPDATE_SUPPORTED)?;
        Ok(value.map(|value| value != 0))
    }

    /// Returns how much dynamic shared memory a launch without [`Launch::shared_memory_mode`] can have. `None` before
    /// CUDA 13.4, or for a mode that this crate does not know.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn shared_memory_mode(&self) -> Result<Option<SharedMemoryMode>, Error> {
        let value = self.function().newer_attribute(attribute::SHARED_MEMORY_MODE)?;
        Ok(value.and_then(SharedMemoryMode::of))
    }
}

/// # Occupancy
/// CUDA Driver API, "Occupancy". Dynamic shared memory above 48 KiB is opted in, as in a launch.
impl<A: KernelArgs> Kernel<A> {
    /// Returns the maximum number of blocks that one multiprocessor runs at the same time, for blocks of `block`
    /// threads with `shared` bytes of dynamic shared memory: `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
    ///
    /// # Errors
    /// [`Error::Launch`] if the device has less shared memory; [`Error::Driver`].
    pub fn max_active_blocks(&self, block: impl IntoDim, shared: u32) -> Result<u32, Error> {
        self.function().max_active_blocks(block.into_dim(), shared)
    }

    /// Returns the largest grid of a [`cooperative`](Launch::cooperative) launch: the number of blocks that all
    /// multiprocessors run at the same time.
    ///
    /// # Errors
    /// The errors of [`max_active_blocks`](Self::max_active_blocks).
    pub fn max_cooperative_blocks(&self, block: impl IntoDim, shared: u32) -> Result<u32, Error> {
        self.function().max_cooperative_blocks(block.into_dim(), shared)
    }

    /// Returns the one-dimensional block with the highest occupancy, with `shared` bytes of dynamic shared memory:
    /// `cuOccupancyMaxPotentialBlockSize`.
    ///
    /// # Errors
    /// The errors of [`max_active_blocks`](Self::max_active_blocks).
    pub fn suggest_block_size(&self, shared: u32) -> Result<BlockSuggestion, Error> {
        self.function().suggest_block(shared)
    }

    /// Returns the maximum number of clusters of a launch that the GPU runs at the same time:
    /// `cuOccupancyMaxActiveClusters`. It depends on the block, the shared memory and the [`cluster`](Launch::cluster)
    /// of `launch`; 0 means that the GPU cannot run it.
    ///
    /// # Errors
    /// [`Error::OldDriver`] before CUDA 11.8; same as [`max_active_blocks`](Self::max_active_blocks).
    pub fn max_active_clusters(&self, launch: &Launch<'_>) -> Result<u32, Error> {
        self.function().max_active_clusters(launch)
    }

    /// Returns the maximum number of blocks of a cluster of a launch: `cuOccupancyMaxPotentialClusterSize`; at most 8
    /// until the kernel has been launched with a larger cluster.
    ///
    /// # Errors
    /// The errors of [`max_active_clusters`](Self::max_active_clusters).
    pub fn max_cluster_size(&self, launch: &Launch<'_>) -> Result<u32, Error> {
        self.function().max_cluster_size(launch)
    }

    /// Returns a grid and a block with at least one thread for each of `elements`: the block that the kernel requires,
    /// or else the one with the highest occupancy. The kernel must skip the threads beyond the last element.
    ///
    /// The driver is queried once for each loaded kernel.
    ///
    /// # Errors
    /// [`Error::Launch`] if the grid is larger than the device allows; [`Error::Driver`].
    pub fn grid_and_block_for(&self, elements: usize) -> Result<(Dim3, Dim3), Error> {
        self.function().grid_and_block_for(elements)
    }
}
