//! Configuration by the caller: grid, block and options of a launch, and options of the driver's compiler.
//!
//! | to change | open |
//! |---|---|
//! | a launch option | `launch_options.rs`, then `call.rs` of `launch`; its name and the errors of `launch!`: `usage.rs` |
//! | which form a launch uses | `Form::of` in `form.rs` |
//! | an option of the driver's compiler | its row in `jit_options.rs` |

mod access_policy;
mod attribute_table;
mod attribute_values;
mod attributes;
mod device_node;
mod dim;
#[cfg(feature = "graphs")]
mod foreign_cache;
mod form;
mod into_launch;
mod jit_options;
mod jit_values;
mod launch_options;
#[cfg(feature = "graphs")]
mod retired;
#[cfg(feature = "graphs")]
mod run_record;
mod stream;
#[cfg(feature = "graphs")]
mod uploads;

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

pub(crate) use attribute_table::attribute_table;
pub(crate) use attributes::{Attribute, Attributes};
#[cfg(feature = "graphs")]
pub(crate) use foreign_cache::{Captured, ForeignCache, ForeignSteps};
#[cfg(feature = "graphs")]
pub(crate) use retired::retire;
#[cfg(feature = "graphs")]
pub(crate) use run_record::{Entered, Leftovers, NotRecording, Phase, Recording, RunRecord, SharedRecording};
pub(crate) use stream::StreamTarget;
#[cfg(feature = "graphs")]
pub(crate) use uploads::Uploads;
