//! How many blocks of a function the current context's GPU runs at the same time. CUDA Driver API, "Occupancy".

use crate::driver::{
    api::{LaunchConfig, Status, api},
    error::Error,
};
use core::ffi::c_int;
use cudarc::driver::sys::CUfunction;

/// The most blocks of `threads` threads on one multiprocessor: `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
///
/// # Safety
/// `function` is loaded, and its context is current.
pub(crate) unsafe fn max_active_blocks(
    function: CUfunction,
    threads: u64,
    shared: u32,
) -> Result<u32, Error> {
    let (api, mut blocks) = (api()?, 0);
    let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
    // SAFETY: the caller vouches for the function; `blocks` outlives the call.
    let status = unsafe {
        (api.cuOccupancyMaxActiveBlocksPerMultiprocessor)(
            &raw mut blocks,
            function,
            threads,
            shared as usize,
        )
    };
    status.check("cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
    Ok(u32::try_from(blocks).unwrap_or(0))
}

/// The grid and the block, in threads, with which the GPU is busiest: `cuOccupancyMaxPotentialBlockSize`.
///
/// # Safety
/// As [`max_active_blocks`].
pub(crate) unsafe fn best_block(function: CUfunction, shared: u32) -> Result<(u32, u32), Error> {
    let (api, mut grid, mut block) = (api()?, 0, 0);
    // SAFETY: the caller vouches for the function; both places outlive the call; null is the callback of a block whose
    // shared memory does not depend on its threads; 0 is no limit of the block.
    let status = unsafe {
        (api.cuOccupancyMaxPotentialBlockSize)(
            &raw mut grid,
            &raw mut block,
            function,
            None,
            shared as usize,
            0,
        )
    };
    status.check("cuOccupancyMaxPotentialBlockSize")?;
    Ok((
        u32::try_from(grid).unwrap_or(0),
        u32::try_from(block).unwrap_or(0),
    ))
}

/// The type of the questions about clusters.
type Question = unsafe extern "C" fn(*mut c_int, CUfunction, *const LaunchConfig) -> Status;

/// The most clusters of `config` on the GPU: `cuOccupancyMaxActiveClusters`.
///
/// # Safety
/// As [`max_active_blocks`]; the attributes of `config` are valid.
pub(crate) unsafe fn max_active_clusters(
    function: CUfunction,
    config: &LaunchConfig,
) -> Result<u32, Error> {
    const NAME: &str = "cuOccupancyMaxActiveClusters";
    let question = api()?.cuOccupancyMaxActiveClusters;
    // SAFETY: the caller vouches for both.
    unsafe { ask(NAME, question, function, config) }
}

/// The most blocks of a cluster of `config`: `cuOccupancyMaxPotentialClusterSize`. It is at most 8 unless the function may
/// have clusters of a size that is not portable.
///
/// # Safety
/// As [`max_active_clusters`].
pub(crate) unsafe fn max_cluster_size(
    function: CUfunction,
    config: &LaunchConfig,
) -> Result<u32, Error> {
    const NAME: &str = "cuOccupancyMaxPotentialClusterSize";
    let question = api()?.cuOccupancyMaxPotentialClusterSize;
    // SAFETY: the caller vouches for both.
    unsafe { ask(NAME, question, function, config) }
}

/// # Safety
/// As [`max_active_clusters`].
unsafe fn ask(
    name: &'static str,
    question: Option<Question>,
    function: CUfunction,
    config: &LaunchConfig,
) -> Result<u32, Error> {
    let question = question.ok_or(Error::OldDriver { missing: name })?;
    let mut answer = 0;
    // SAFETY: the caller vouches for the function and the configuration; `answer` outlives the call.
    let status = unsafe { question(&raw mut answer, function, config) };
    status.check(name)?;
    Ok(u32::try_from(answer).unwrap_or(0))
}
