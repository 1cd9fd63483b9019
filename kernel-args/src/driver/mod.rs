//! Loading kernels and launching them through the CUDA driver, on cudarc's contexts and streams.
//!
//! A file imports only from files before it in this order, which `tests/layers.rs` checks: `words`, `chain`, `api`, `error`,
//! `context`, `config`, `image`, `loaded`, `link`, `shared_memory`, `loaded_function`, `verification`,
//! `verify`, `remembered`, `function`, `cudarc_function`, `kernel_cache`, `module`, `lookup`, `kernel`, `explain`, `launch_call`,
//! `launchable`, `launch_raw`, `launch`.

mod api;
mod chain;
mod config;
mod context;
mod cudarc_function;
mod error;
mod explain;
mod function;
mod image;
mod kernel;
mod kernel_cache;
mod launch;
mod launch_call;
mod launch_raw;
mod launchable;
mod link;
mod loaded;
mod loaded_function;
mod lookup;
mod module;
mod remembered;
mod shared_memory;
mod verification;
mod verify;
mod words;

pub use api::Status;
pub use config::{Form, IntoDim, IntoLaunch, JitOptions, Launch, OptimizationLevel};
pub use context::{context, is_available};
pub use error::{DriverCall, Error, LaunchError, Limit, MismatchError};
pub use function::Function;
pub use image::Image;
pub use kernel::Kernel;
pub use launch::launch;
pub use launchable::{LaunchArguments, Launchable};
pub use module::Module;
pub use verification::{Unverified, Verification};
