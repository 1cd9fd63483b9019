//! Loading kernels and launching them through the CUDA driver, on cudarc's contexts and streams.
//!
//! A file imports only from files before it in this order, which `tests/layers.rs` checks: `api`, `error`, `context`,
//! `config`, `image`, `loaded`, `link`, `shared_memory`, `loaded_function`, `verify`, `module`, `kernel`, `explain`, `launch_call`, `launchable`,
//! `launch`, `graph`.

mod api;
mod config;
mod context;
mod error;
mod explain;
mod graph;
mod image;
mod kernel;
mod launch;
mod launch_call;
mod launchable;
mod link;
mod loaded;
mod loaded_function;
mod module;
mod shared_memory;
mod verify;

pub use api::Status;
pub use config::{Form, IntoDim, JitOptions, Launch, OptimizationLevel};
pub use context::{context, is_available};
pub use error::{DriverCall, Error, GraphError, LaunchError, Limit, MismatchError};
pub use graph::{AnyNode, Graph, GraphExec, Node};
pub use image::Image;
pub use kernel::Kernel;
pub use launch::launch;
pub use launchable::Launchable;
pub use module::Module;
pub use verify::{Unverified, Verification};
