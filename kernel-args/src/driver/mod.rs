//! Loading kernels and launching them through the CUDA driver, on cudarc's contexts and streams.

mod api;
mod context;
mod error;
mod explain;
mod function;
mod geometry;
mod image;
mod jit;
mod kernel;
mod launch;
mod launchable;
mod module;
mod status;
mod verify;

pub use context::{context, is_available};
pub use error::{DriverCall, Error, LaunchError, Limit, MismatchError};
pub use geometry::{Dim, IntoDim};
pub use jit::{JitOptions, OptimizationLevel};
pub use kernel::Kernel;
pub use launch::{Form, Launch, launch};
pub use launchable::Launchable;
pub use module::{Image, Module};
pub use status::Status;
pub use verify::{Unverified, Verification};
