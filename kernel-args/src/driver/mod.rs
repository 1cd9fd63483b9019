//! Loading kernels and launching them through the CUDA driver, on cudarc's contexts and streams.
//!
//! A file imports only from files before it in this order, which `tests/layers.rs` checks: `words`, `chain`, `launch_config`,
//! `api`, `meaning`, `error`, `context`, `config`, `function_attribute`, `occupancy`, `attributes`, `image`, `loaded`, `link`,
//! `shared_memory`, `loaded_function`, `function_info`, `verification`, `verify`, `remembered`, `function`, `cudarc_function`,
//! `kernel_cache`, `module`, `lookup`, `kernel`, `kernel_info`, `resources`, `explain`, `launch_call`, `launchable`, `launch_raw`, `launch`,
//! `graph`.

mod api;
mod attributes;
mod chain;
mod config;
mod context;
mod cudarc_function;
mod error;
mod explain;
mod function;
mod function_attribute;
mod function_info;
mod graph;
mod image;
mod kernel;
mod kernel_cache;
mod kernel_info;
mod launch;
mod launch_call;
mod launch_config;
mod launch_raw;
mod launchable;
mod link;
mod loaded;
mod loaded_function;
mod lookup;
mod meaning;
mod module;
mod occupancy;
mod remembered;
mod resources;
mod shared_memory;
mod verification;
mod verify;
mod words;

pub use api::Status;
pub use config::{
    AccessPolicyWindow, AccessProperty, ClusterSchedulingPolicy, DeviceNode, Form, IntoDim,
    IntoLaunch, JitOptions, Launch, MemorySyncDomain, MemorySyncDomainMap, OptimizationLevel,
    ProgrammaticEvent,
};
pub use context::{context, is_available};
pub use error::{
    DriverCall, Error, GraphError, LaunchError, Limit, MismatchError, UnsupportedAttribute,
};
pub use function::Function;
pub use function_info::BlockSuggestion;
pub use graph::{AnyNode, Graph, GraphExec, Node};
pub use image::Image;
pub use kernel::Kernel;
pub use launch::launch;
pub use launchable::{LaunchArguments, Launchable};
pub use module::Module;
pub use verification::{Unverified, Verification};
