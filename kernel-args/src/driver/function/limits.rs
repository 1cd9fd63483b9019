//! Checks of a launch against the function's limits, before the driver is called.

use super::loaded::LoadedFunction;
use crate::{
    contract::Geometry,
    device::vector::Dim3,
    driver::{
        config::{Launch, SharedMemoryMode},
        context::make_current,
        error::{Error, Limit},
        query::{allow, exceeded},
    },
};
use core::sync::atomic::Ordering;

/// Returns what to do: `help`, unless a launch is within the limits if grid and block are exchanged. A grid that is no
/// multiple of a warp is not meant as a block.
pub(crate) fn or_exchanged(
    help: &'static str,
    [grid, block]: [Dim3; 2],
    [max_grid, max_block]: [Dim3; 2],
    max_threads: u32,
) -> &'static str {
    const WARP: u64 = 32;
    let look_exchanged = !exceeds(grid, max_block)
        && !exceeds(block, max_grid)
        && grid.count() <= u64::from(max_threads)
        && grid.count().is_multiple_of(WARP);
    if look_exchanged {
        "grid and block look exchanged, and are within the limits the other way: write the grid, in blocks, before the \
         block, in threads"
    } else {
        help
    }
}

pub(crate) const fn exceeds(size: Dim3, limit: Dim3) -> bool {
    size.x > limit.x || size.y > limit.y || size.z > limit.z
}

impl LoadedFunction {
    #[inline(always)]
    pub(crate) fn check(&self, launch: &Launch<'_>) -> Result<(), Error> {
        let named = launch.attributes.and_then(|attributes| attributes.cluster);
        self.check_with(launch, named.is_some())
    }

    /// Checks a launch whose cluster, if it has one, is not in its attributes.
    #[inline(always)]
    pub(crate) fn check_with(&self, launch: &Launch<'_>, names_cluster: bool) -> Result<(), Error> {
        let Launch { grid, block, shared_given, .. } = *launch;
        let threads = if shared_given { self.simple_threads } else { self.simple_threads_without_shared };
        let within = |dim: Dim3, max: Dim3| {
            // `0 - 1` wraps, so zero exceeds every limit.
            (dim.x.wrapping_sub(1) < max.x) & (dim.y.wrapping_sub(1) < max.y) & (dim.z.wrapping_sub(1) < max.z)
        };
        if !(within(grid, self.max_grid) & within(block, self.max_block) & (block.count() <= u64::from(threads))) {
            // A copy: with a reference, all of `Launch` would be in memory in every launch.
            self.check_sizes([grid, block], names_cluster, shared_given)?;
        }
        // The GPU's limit does not apply to an oversized configuration: the driver decides.
        let mode = launch.attributes.and_then(|attributes| attributes.shared_memory_mode);
        if mode.is_some_and(SharedMemoryMode::is_oversized) {
            return Ok(());
        }
        self.allow_shared(launch.shared)
    }

    #[inline(always)]
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<(), Error> {
        if bytes > self.shared.load(Ordering::Relaxed) {
            self.opt_in(bytes)?;
        }
        Ok(())
    }

    #[cold]
    fn opt_in(&self, bytes: u32) -> Result<(), Error> {
        if bytes > self.max_shared {
            let limit = format!("this device allows at most {} bytes for this kernel", self.max_shared);
            return Err(exceeded(self.name.clone(), bytes, limit));
        }
        make_current(&self.context)?;
        let allowed = allow(self.handle(), bytes, &|| self.name.clone())?;
        self.shared.fetch_max(allowed, Ordering::Relaxed);
        Ok(())
    }

    /// The first limit that a launch exceeds. A cluster option is checked with the other attributes.
    #[cold]
    #[inline(never)]
    fn check_sizes(&self, [grid, block]: [Dim3; 2], names_cluster: bool, shared_given: bool) -> Result<(), Error> {
        let or_exchanged = |help| or_exchanged(help, [grid, block], [self.max_grid, self.max_block], self.max_threads);
        let (of_grid, of_block) = (|| format!("grid {grid}"), || format!("block {block}"));
        let (requested, limit, help) = if grid.count() == 0 {
            (
                of_grid(),
                "a grid has at least one block along each axis".into(),
                "for zero elements, do not launch the kernel",
            )
        } else if block.count() == 0 {
            (
                of_block(),
                "a block has at least one thread along each axis".into(),
                "write 1 for an axis that is not used",
            )
        } else if exceeds(grid, self.max_grid) {
            (
                of_grid(),
                format!("this device allows at most {}", self.max_grid),
                "have each thread process several elements, or split the launch",
            )
        } else if let Some(required) = self
            .required_block
            .filter(|required| *required != self.attribute_limits.geometry(Geometry::new(grid, block)).block)
        {
            let (limit, help) = if self.attribute_limits.directives.tile {
                (
                    "this is a tile kernel, whose blocks are launched as 1 thread".into(),
                    "write `block = 1`, and a grid with a block for each tile; the compiler selected the threads of a block",
                )
            } else {
                (
                    format!("this kernel is compiled for a block of exactly {required}"),
                    "launch it with this block, which the kernel's `.reqntid` directive requires",
                )
            };
            (of_block(), limit, help)
        } else if exceeds(block, self.max_block) {
            (
                of_block(),
                format!("this device allows at most {}", self.max_block),
                or_exchanged("use a smaller block and a larger grid"),
            )
        } else if block.count() > u64::from(self.max_threads) {
            (
                of_block(),
                format!("this kernel allows at most {} threads per block", self.max_threads),
                or_exchanged(
                    "use a smaller block; the limit comes from the device, from the kernel's `__launch_bounds__`, or from the \
                     registers that it uses",
                ),
            )
        } else if !shared_given && self.dynamic_shared {
            (
                "a launch without `shared`".into(),
                "this kernel uses dynamic shared memory (`extern __shared__`)".into(),
                "add `shared = bytes`, the size of that memory for one block; write `shared = 0` if this launch uses none of it",
            )
        } else if names_cluster {
            return Ok(());
        } else {
            return self.attribute_limits.check_without_cluster(|| self.name.clone(), grid);
        };
        Err(self.limit(requested, limit, help))
    }

    pub(super) fn limit(&self, requested: String, limit: String, help: &'static str) -> Error {
        Limit::error(self.name.clone(), requested, limit, help)
    }
}
