//! What can be asked of a kernel.

use super::kernel::Kernel;
use crate::{
    device::vector::Dim3,
    driver::{
        config::{IntoDim, Launch},
        error::Error,
        function::BlockSuggestion,
        query::attribute,
    },
    marshal::KernelArgs,
};

/// # What the kernel uses
/// CUDA Driver API, `CUfunction_attribute`. Each method makes the kernel's context current and asks the driver:
/// [`Error::Driver`] where that fails.
impl<A: KernelArgs> Kernel<A> {
    /// Registers of a thread.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn registers(&self) -> Result<u32, Error> {
        self.function().attribute(attribute::NUM_REGS)
    }

    /// Static shared memory of a block, in bytes.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn static_shared_memory(&self) -> Result<u32, Error> {
        self.function().attribute(attribute::SHARED_SIZE_BYTES)
    }

    /// Local memory of a thread, in bytes: arrays and spilled registers.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn local_memory(&self) -> Result<u32, Error> {
        self.function().attribute(attribute::LOCAL_SIZE_BYTES)
    }

    /// Constant memory that the program declares (`__constant__`), in bytes.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn constant_memory(&self) -> Result<u32, Error> {
        self.function().attribute(attribute::CONST_SIZE_BYTES)
    }

    /// The most threads of a block, of which the registers and `__launch_bounds__` may allow fewer than the GPU.
    #[must_use]
    pub fn max_threads_per_block(&self) -> u32 {
        self.function().max_threads
    }

    /// The virtual architecture for which the kernel was compiled: 75 is compute_75.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn ptx_version(&self) -> Result<u32, Error> {
        self.function().attribute(attribute::PTX_VERSION)
    }

    /// The GPU for which the loaded code was compiled: 90 is sm_90.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn binary_version(&self) -> Result<u32, Error> {
        self.function().attribute(attribute::BINARY_VERSION)
    }
}

/// # How many blocks run at once
/// CUDA Driver API, "Occupancy". Dynamic shared memory above 48 KiB is opted in, as by a launch.
impl<A: KernelArgs> Kernel<A> {
    /// The most blocks that one multiprocessor runs at once, of `block` threads and `shared` bytes of dynamic shared memory:
    /// `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
    ///
    /// # Errors
    /// [`Error::Launch`] for more shared memory than the device has; [`Error::Driver`].
    pub fn max_active_blocks(&self, block: impl IntoDim, shared: u32) -> Result<u32, Error> {
        self.function().max_active_blocks(block.into_dim(), shared)
    }

    /// The largest grid of a [`cooperative`](Launch::cooperative) launch, in blocks: those that all multiprocessors run at
    /// once.
    ///
    /// # Errors
    /// As [`max_active_blocks`](Self::max_active_blocks).
    pub fn max_cooperative_blocks(&self, block: impl IntoDim, shared: u32) -> Result<u32, Error> {
        self.function()
            .max_cooperative_blocks(block.into_dim(), shared)
    }

    /// The block, of one dimension, with which the GPU is busiest, where each has `shared` bytes of dynamic shared memory:
    /// `cuOccupancyMaxPotentialBlockSize`.
    ///
    /// # Errors
    /// As [`max_active_blocks`](Self::max_active_blocks).
    pub fn suggest_block_size(&self, shared: u32) -> Result<BlockSuggestion, Error> {
        self.function().suggest_block(shared)
    }

    /// The most clusters of a launch that the GPU runs at once: `cuOccupancyMaxActiveClusters`. Block, shared memory and
    /// [`cluster`](Launch::cluster) of `launch` count; 0 means that the GPU cannot run it.
    ///
    /// ```no_run
    /// # use kernel_args::{Kernel, KernelArgs, Launch};
    /// # #[derive(KernelArgs)]
    /// # struct Nothing;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let kernel = Kernel::<Nothing>::from_image(&kernel_args::context(0)?, "", "nothing")?;
    /// let clusters = kernel.max_active_clusters(&Launch::new(64, 256).cluster(4).shared(64 * 1024))?;
    /// # let _ = clusters;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OldDriver`] before CUDA 11.8; as [`max_active_blocks`](Self::max_active_blocks).
    pub fn max_active_clusters(&self, launch: &Launch<'_>) -> Result<u32, Error> {
        self.function().max_active_clusters(launch)
    }

    /// The most blocks of a cluster of a launch: `cuOccupancyMaxPotentialClusterSize`. It is at most 8 until the kernel was
    /// launched with a larger cluster.
    ///
    /// # Errors
    /// As [`max_active_clusters`](Self::max_active_clusters).
    pub fn max_cluster_size(&self, launch: &Launch<'_>) -> Result<u32, Error> {
        self.function().max_cluster_size(launch)
    }

    /// A grid and a block with one thread for each of `elements`: the block with which the GPU is busiest, or the one that
    /// the kernel requires, and as many blocks as are needed. The kernel skips the threads beyond the last element.
    ///
    /// The driver is asked once for each loaded kernel. It is what cudarc's `LaunchConfig::for_num_elems` does with blocks of
    /// 1024 threads.
    ///
    /// ```no_run
    /// # use kernel_args::{Kernel, KernelArgs, launch};
    /// #[derive(KernelArgs)]
    /// struct Fill { value: f32, n: u32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let fill = Kernel::<Fill>::from_image(&kernel_args::context(0)?, "", "fill")?;
    ///
    /// let (grid, block) = fill.grid_and_block_for(100_000)?;
    /// // SAFETY: the kernel accesses no memory.
    /// unsafe { launch!(fill, grid, block, Fill { value: 1.0, n: 100_000 })? };
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Launch`] where that grid is larger than the device allows; [`Error::Driver`].
    pub fn grid_and_block_for(&self, elements: usize) -> Result<(Dim3, Dim3), Error> {
        self.function().grid_and_block_for(elements)
    }
}
