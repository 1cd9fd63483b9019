//! Loading kernels and launching them through the CUDA driver, on cudarc's contexts and streams.
//!
//! A file imports only from files before it in this order, which `tests/layers.rs` checks: `launch_config`, `api`, `error`,
//! `context`, `config`, `function_attribute`, `occupancy`, `attributes`, `image`, `loaded`, `link`, `shared_memory`,
//! `loaded_function`, `function_info`, `verify`, `module`, `kernel`, `kernel_info`, `explain`, `launch_call`, `launchable`,
//! `launch`.

mod api;
mod attributes;
mod config;
mod context;
mod error;
mod explain;
mod function_attribute;
mod function_info;
mod image;
mod kernel;
mod kernel_info;
mod launch;
mod launch_call;
mod launch_config;
mod launchable;
mod link;
mod loaded;
mod loaded_function;
mod module;
mod occupancy;
mod shared_memory;
mod verify;

pub use api::Status;
pub use config::{
    AccessPolicyWindow, AccessProperty, ClusterSchedulingPolicy, DeviceNode, Form, IntoDim,
    JitOptions, Launch, MemorySyncDomain, MemorySyncDomainMap, OptimizationLevel,
    ProgrammaticEvent,
};
pub use context::{context, is_available};
pub use error::{DriverCall, Error, LaunchError, Limit, MismatchError, UnsupportedAttribute};
pub use function_info::BlockSuggestion;
pub use image::Image;
pub use kernel::Kernel;
pub use launch::launch;
pub use launchable::Launchable;
pub use module::Module;
pub use verify::{Unverified, Verification};
