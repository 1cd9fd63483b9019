//! What a caller configures: the grid and block of a launch, its options, and those of the driver's compiler.

mod dim;
mod jit_options;
mod launch_options;

pub use dim::IntoDim;
pub use jit_options::{JitOptions, OptimizationLevel};
pub use launch_options::{Form, IntoLaunch, Launch};

pub(super) use jit_options::DriverOptions;
