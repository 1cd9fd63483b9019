//! How many blocks of a function the current context's GPU runs at the same time. CUDA Driver API, "Occupancy".
//!
//! The function must be loaded in the current context.

use crate::driver::api::{CallError, FunctionHandle, LaunchConfig, Null, api, out};
use core::ffi::c_int;

/// The maximum number of blocks of `threads` threads on one multiprocessor:
/// `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
pub(crate) fn max_active_blocks(function: FunctionHandle<'_>, threads: u64, shared: u32) -> Result<u32, CallError> {
    let api = api()?;
    let (threads, shared) = (c_int::try_from(threads).unwrap_or(c_int::MAX), shared as usize);
    counted(|blocks| api.cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared))
}

/// The grid and the block, in threads, with the highest occupancy: `cuOccupancyMaxPotentialBlockSize`.
pub(crate) fn best_block(function: FunctionHandle<'_>, shared: u32) -> Result<(u32, u32), CallError> {
    let (api, mut grid) = (api()?, 0);
    // The callback is null because the shared memory does not depend on the block size; the limit 0 means no limit of
    // the block.
    let (callback, shared, limit) = (Null::NULL, shared as usize, 0);
    let block =
        counted(|block| api.cuOccupancyMaxPotentialBlockSize(&mut grid, block, function, callback, shared, limit))?;
    Ok((u32::try_from(grid).unwrap_or(0), block))
}

pub(crate) fn max_active_clusters(function: FunctionHandle<'_>, config: &LaunchConfig<'_>) -> Result<u32, CallError> {
    let api = api()?;
    counted(|clusters| api.cuOccupancyMaxActiveClusters(clusters, function, config))
}

/// The maximum number of blocks of a cluster of `config`: `cuOccupancyMaxPotentialClusterSize`. It is at most 8 unless
/// the function allows clusters of a size that is not portable.
pub(crate) fn max_cluster_size(function: FunctionHandle<'_>, config: &LaunchConfig<'_>) -> Result<u32, CallError> {
    let api = api()?;
    counted(|blocks| api.cuOccupancyMaxPotentialClusterSize(blocks, function, config))
}

/// The number that a call writes. It is not negative.
fn counted(call: impl FnOnce(&mut c_int) -> Result<(), CallError>) -> Result<u32, CallError> {
    Ok(u32::try_from(out(call)?).unwrap_or(0))
}
