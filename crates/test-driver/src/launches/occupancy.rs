//! Occupancy: threads, registers, shared memory and block slots of a multiprocessor, without the allocation
//! granularity, which only NVIDIA knows exactly.

use std::ffi::{c_int, c_uint};

use crate::{
    contexts::device::{MULTIPROCESSORS, SHARED_RESERVED},
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    launches::launch::LaunchConfig,
    state::Driver,
};

/// `CUoccupancyB2DSize`: dynamic shared memory for a block size.
type SharedForBlock = Option<extern "C" fn(c_int) -> usize>;

impl Driver {
    fn active_blocks(&self, function: Handle, block: c_int, shared: usize) -> Outcome<c_int> {
        let block = u32::try_from(block).ok().filter(|block| *block > 0).ok_or(Status::INVALID_VALUE)?;
        let held = self.functions.get(function)?;
        let shared = u32::try_from(shared).map_err(|_| Status::INVALID_VALUE)?;
        if block > held.kernel.max_threads {
            return Ok(0);
        }
        Ok(held.blocks_per_sm(block, shared, self.figures()).cast_signed())
    }

    /// Returns the block size, a multiple of 32, that keeps the most threads resident, and the grid that fills the
    /// device.
    fn best_block(
        &self,
        function: Handle,
        shared_for: SharedForBlock,
        shared: usize,
        limit: c_int,
    ) -> Outcome<(c_int, c_int)> {
        let most = self.functions.get(function)?.kernel.max_threads.cast_signed();
        let most = if limit > 0 { most.min(limit) } else { most };
        let mut best = (0, 0, 0);
        let mut block = most;
        while block > 0 {
            let shared = shared_for.map_or(shared, |shared_for| shared_for(block));
            let blocks = self.active_blocks(function, block, shared)?;
            if blocks * block > best.0 {
                best = (blocks * block, blocks * MULTIPROCESSORS.cast_signed(), block);
            }
            block = (block - 1) / 32 * 32;
        }
        Ok((best.1, best.2))
    }

    fn clusters(&self, function: Handle, config: In<LaunchConfig>) -> Outcome<c_int> {
        let geometry = config.get()?.geometry()?;
        let held = self.functions.get(function)?;
        let cluster = geometry.cluster.or(held.kernel.cluster).unwrap_or([1; 3]);
        let blocks = held.blocks_per_sm(geometry.block.iter().product(), geometry.shared, self.figures());
        let size: u32 = cluster.iter().product();
        Ok((blocks * MULTIPROCESSORS).checked_div(size).unwrap_or(0).cast_signed())
    }
}

entry_points! {
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        driver, blocks: Out<c_int>, function: Handle, block: c_int, shared: usize,
    ) {
        blocks.set(driver.active_blocks(function, block, shared)?)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        driver, blocks: Out<c_int>, function: Handle, block: c_int, shared: usize, _flags: c_uint,
    ) {
        blocks.set(driver.active_blocks(function, block, shared)?)
    }

    fn cuOccupancyMaxPotentialBlockSize(
        driver, grid: Out<c_int>, block: Out<c_int>, function: Handle, shared_for: SharedForBlock, shared: usize,
        limit: c_int,
    ) {
        let best = driver.best_block(function, shared_for, shared, limit)?;
        grid.set(best.0)?;
        block.set(best.1)
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        driver, grid: Out<c_int>, block: Out<c_int>, function: Handle, shared_for: SharedForBlock, shared: usize,
        limit: c_int, _flags: c_uint,
    ) {
        let best = driver.best_block(function, shared_for, shared, limit)?;
        grid.set(best.0)?;
        block.set(best.1)
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(
        driver, bytes: Out<usize>, function: Handle, blocks: c_int, block: c_int,
    ) {
        let figures = driver.figures();
        let held = driver.functions.get(function)?;
        let blocks = u32::try_from(blocks).ok().filter(|blocks| *blocks > 0).ok_or(Status::INVALID_VALUE)?;
        if block <= 0 || block.unsigned_abs() * blocks > figures.threads_per_sm {
            return Err(Status::INVALID_VALUE);
        }
        let each = figures.shared_per_sm / blocks;
        let free = each.saturating_sub(SHARED_RESERVED).min(figures.shared_opt_in);
        bytes.set(free.saturating_sub(held.kernel.static_shared) as usize)
    }

    fn cuOccupancyMaxActiveClusters(driver, clusters: Out<c_int>, function: Handle, config: In<LaunchConfig>) {
        clusters.set(driver.clusters(function, config)?)
    }

    fn cuOccupancyMaxPotentialClusterSize(
        driver, size: Out<c_int>, function: Handle, config: In<LaunchConfig>,
    ) {
        config.get()?;
        let non_portable = driver.functions.get(function)?.non_portable_cluster;
        let most = if non_portable { 16 } else { 8 };
        size.set(if driver.config.sm >= 90 { most } else { 1 })
    }
}
