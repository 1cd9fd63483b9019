//! cudarc's `LaunchConfig` as the grid and the block of a launch.

use super::Launch;
use cudarc::driver::LaunchConfig;

/// A type that [`launch!`](crate::launch!) accepts instead of a grid and a block: cudarc's [`LaunchConfig`].
///
/// If its `shared_mem_bytes` is 0, a kernel that uses dynamic shared memory is still rejected, because this field
/// always has a value. The option `shared = 0` explicitly requests no dynamic shared memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a launch configuration",
    label = "neither a cudarc `LaunchConfig` nor a grid with a block after it",
    note = "write `launch!(func, grid, block, args)`, or `launch!(func, config, args)` with a cudarc `LaunchConfig`; options follow by \
            name: `stream = &stream`"
)]
pub trait IntoLaunch {
    /// Returns the launch.
    fn into_launch<'a>(self) -> Launch<'a>;
}

impl IntoLaunch for LaunchConfig {
    #[inline(always)]
    fn into_launch<'a>(self) -> Launch<'a> {
        let launch = Launch::new(self.grid_dim, self.block_dim);
        match self.shared_mem_bytes {
            0 => launch,
            bytes => launch.shared(bytes),
        }
    }
}

impl IntoLaunch for &LaunchConfig {
    #[inline(always)]
    fn into_launch<'a>(self) -> Launch<'a> {
        (*self).into_launch()
    }
}
