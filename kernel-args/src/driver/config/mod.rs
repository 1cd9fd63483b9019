//! Configuration by the caller: grid, block and options of a launch, and options of the driver's compiler.

mod access_policy;
mod attribute_table;
mod attribute_values;
mod attributes;
mod device_node;
mod dim;
mod form;
mod into_launch;
mod jit_options;
mod jit_values;
mod launch_options;
#[cfg(feature = "graphs")]
mod recording;
mod stream;

pub use access_policy::{AccessPolicyWindow, AccessProperty};
pub use attribute_values::{
    ClusterSchedulingPolicy, MemorySyncDomain, MemorySyncDomainMap, PortableClusterMode, ProgrammaticEvent,
    SharedMemoryMode,
};
pub use device_node::DeviceNode;
pub use dim::IntoDim;
pub use form::Form;
pub use into_launch::IntoLaunch;
pub use jit_options::JitOptions;
pub use jit_values::{CacheMode, Fallback, JitTarget, OptimizationLevel};
pub use launch_options::Launch;
pub use stream::AsStream;

pub(crate) use attributes::{Attribute, Attributes};
#[cfg(feature = "graphs")]
pub(crate) use recording::Recording;
pub(crate) use stream::StreamTarget;
