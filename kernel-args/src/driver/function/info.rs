//! Properties of a loaded function: its resources, its occupancy, and a suitable block size.

use super::loaded::LoadedFunction;
use crate::{
    device::vector::Dim3,
    driver::{
        api::{FunctionHandle, Null, StreamHandle},
        attributes::Encoded,
        config::Launch,
        context::make_current,
        error::Error,
        query::{attribute, max_active_blocks, max_cooperative_blocks, number},
    },
};
use core::{ffi::c_int, sync::atomic::Ordering};

/// A block size with the highest occupancy of the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockSuggestion {
    /// The number of threads of a block.
    pub block: u32,
    /// The smallest number of blocks that keeps every multiprocessor busy.
    pub min_grid: u32,
}

impl LoadedFunction {
    pub(crate) fn attribute(&self, number: u32) -> Result<u32, Error> {
        make_current(&self.context)?;
        Ok(attribute::get(self.handle(), number)?)
    }

    pub(crate) fn newer_attribute(&self, newer: attribute::Newer) -> Result<Option<u32>, Error> {
        make_current(&self.context)?;
        Ok(attribute::get_newer(self.handle(), newer)?)
    }

    /// Returns its handle, with its context current, after it was allowed the dynamic shared memory.
    fn with_shared(&self, shared: u32) -> Result<FunctionHandle<'_>, Error> {
        self.allow_shared(shared)?;
        make_current(&self.context)?;
        Ok(self.handle())
    }

    pub(crate) fn max_active_blocks(&self, block: Dim3, shared: u32) -> Result<u32, Error> {
        Ok(max_active_blocks(self.with_shared(shared)?, block.count(), shared)?)
    }

    pub(crate) fn max_cooperative_blocks(&self, block: Dim3, shared: u32) -> Result<u32, Error> {
        Ok(max_cooperative_blocks(self.with_shared(shared)?, block.count(), shared)?)
    }

    pub(crate) fn suggest_block(&self, shared: u32) -> Result<BlockSuggestion, Error> {
        let (function, shared, mut grid) = (self.with_shared(shared)?, shared as usize, 0);
        // No callback, because the shared memory does not depend on the block; 0 is no limit of the block.
        let best = |block: &mut c_int| {
            self.api.cuOccupancyMaxPotentialBlockSize(&mut grid, block, function, Null::NULL, shared, 0)
        };
        Ok(BlockSuggestion { block: number(best)?, min_grid: u32::try_from(grid).unwrap_or(0) })
    }

    pub(crate) fn max_active_clusters(&self, launch: &Launch<'_>) -> Result<u32, Error> {
        let function = self.with_shared(launch.shared)?;
        let config = launch.config(StreamHandle::DEFAULT);
        let cluster =
            launch.attributes.and_then(|attributes| attributes.cluster).or(self.attribute_limits.required_cluster);
        let mut encoded = cluster.map(Encoded::cluster);
        let config = match &mut encoded {
            Some(encoded) => encoded.attach(config),
            None => config,
        };
        Ok(number(|clusters| self.api.cuOccupancyMaxActiveClusters(clusters, function, &config))?)
    }

    pub(crate) fn max_cluster_size(&self, launch: &Launch<'_>) -> Result<u32, Error> {
        let function = self.with_shared(launch.shared)?;
        let config = launch.config(StreamHandle::DEFAULT);
        Ok(number(|blocks| self.api.cuOccupancyMaxPotentialClusterSize(blocks, function, &config))?)
    }

    pub(crate) fn grid_and_block_for(&self, elements: usize) -> Result<(Dim3, Dim3), Error> {
        if self.attribute_limits.directives.tile {
            return Err(self.limit(
                format!("a thread for each of {elements} elements"),
                "this is a tile kernel: each block computes a tile, whose size only the kernel knows".into(),
                "write `block = 1`, and a grid with a block for each tile",
            ));
        }
        let block = match self.required_block {
            Some(required) => required,
            None => Dim3::new(self.best_block()?, 1, 1),
        };
        let mut blocks = (elements as u64).div_ceil(block.count().max(1));
        if let Some(cluster) = self.attribute_limits.required_cluster {
            let x = u64::from(cluster.x.max(1));
            let of_clusters = self.attribute_limits.directives.blocks_are_clusters;
            blocks = if of_clusters { blocks.div_ceil(x) } else { blocks.next_multiple_of(x) };
        }
        match u32::try_from(blocks) {
            Ok(x) if x <= self.max_grid.x => Ok((Dim3::new(x, 1, 1), block)),
            _ => Err(self.limit(
                format!("a thread for each of {elements} elements, {blocks} blocks"),
                format!("this device allows a grid of at most {}", self.max_grid),
                "have each thread process several elements, or split the launch",
            )),
        }
    }

    /// The driver is queried once.
    fn best_block(&self) -> Result<u32, Error> {
        match self.best_block.load(Ordering::Relaxed) {
            0 => {
                let block = self.suggest_block(0)?.block.max(1);
                self.best_block.store(block, Ordering::Relaxed);
                Ok(block)
            }
            known => Ok(known),
        }
    }
}
