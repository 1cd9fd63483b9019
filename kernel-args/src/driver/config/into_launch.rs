//! What [`launch!`](crate::launch!) takes in place of a grid and a block.

use super::Launch;
use cudarc::driver::LaunchConfig;

/// What [`launch!`](crate::launch!) takes in place of a grid and a block: cudarc's [`LaunchConfig`].
///
/// Its `shared_mem_bytes` of 0, which it always has, does not say that a kernel that uses dynamic shared memory is meant to have
/// none; the option `shared = 0` does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a launch configuration",
    label = "neither a cudarc `LaunchConfig` nor a grid with a block after it",
    note = "write `launch!(func, grid, block, args)`, or `launch!(func, config, args)` with a cudarc `LaunchConfig`; options follow by \
            name: `stream = &stream`"
)]
pub trait IntoLaunch {
    /// The launch.
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
