//! Loading kernels and launching them through the CUDA driver, on cudarc's contexts and streams.
//!
//! A file imports only from files before it in this order, which `tests/layers.rs` checks: `words`, `chain`, `launch_config`,
//! `api`, `meaning`, `nvrtc`, `nvrtc_error`, `incompatible`, `context_error`, `error`, `context`, `versions`, `compile`,
//! `context_state`, `context_hold`, `context_current`, `context_create`, `green_context`, `runtime`, `peer`, `config`, `function_attribute`,
//! `occupancy`, `attributes`, `image`, `load_error`, `loaded`, `link`,
//! `shared_memory`, `loaded_function`, `function_info`, `verification`, `verify`, `remembered`, `function`, `cudarc_function`,
//! `kernel_cache`, `module`, `lookup`, `kernel`, `kernel_info`, `resources`, `explain`, `launch_call`, `launchable`, `launch_raw`, `launch`,
//! `graph`.

mod api;
mod attributes;
mod chain;
#[cfg(feature = "nvrtc")]
mod compile;
mod config;
mod context;
mod context_create;
mod context_current;
mod context_error;
mod context_hold;
mod context_state;
mod cudarc_function;
mod error;
mod explain;
mod function;
mod function_attribute;
mod function_info;
mod graph;
mod green_context;
mod image;
mod incompatible;
mod kernel;
mod kernel_cache;
mod kernel_info;
mod launch;
mod launch_call;
mod launch_config;
mod launch_raw;
mod launchable;
mod link;
mod load_error;
mod loaded;
mod loaded_function;
mod lookup;
mod meaning;
mod module;
#[cfg(feature = "nvrtc")]
mod nvrtc;
#[cfg(feature = "nvrtc")]
mod nvrtc_error;
mod occupancy;
mod peer;
mod remembered;
mod resources;
mod runtime;
mod shared_memory;
mod verification;
mod verify;
mod versions;
mod words;

pub use api::Status;
#[cfg(feature = "nvrtc")]
pub use compile::{CacheUse, CompileOptions, CompiledSource, CppStandard};
pub use config::{
    AccessPolicyWindow, AccessProperty, CacheMode, ClusterSchedulingPolicy, DeviceNode, Fallback,
    Form, IntoDim, IntoLaunch, JitOptions, JitTarget, Launch, MemorySyncDomain,
    MemorySyncDomainMap, OptimizationLevel, ProgrammaticEvent,
};
pub use context::{context, is_available};
pub use context_create::{ContextFlags, Scheduling, create_context};
pub use context_current::{current_context, with_current};
pub use context_error::ContextMismatch;
pub use error::{
    DriverCall, Error, GraphError, LaunchError, Limit, MismatchError, UnsupportedAttribute,
};
pub use function::Function;
pub use function_info::BlockSuggestion;
pub use graph::{AnyNode, Graph, GraphExec, HostBuffer, Node};
pub use green_context::{GreenContext, GreenStream};
pub use image::DebugInfo;
pub use image::Image;
pub use incompatible::IncompatibleImage;
pub use kernel::Kernel;
pub use launch::launch;
pub use launchable::{LaunchArguments, Launchable};
pub use module::Module;
#[cfg(feature = "nvrtc")]
pub use nvrtc_error::NvrtcError;
pub use peer::{Peer, PeerAccess};
pub use runtime::{BorrowedStream, kernel_function};
pub use verification::{Unverified, Verification};
pub use versions::{Gpu, Versions, versions};
