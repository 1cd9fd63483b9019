//! Configuration by the caller: grid, block and options of a launch, and options of the driver's compiler.
//!
//! | to change | open |
//! |---|---|
//! | a launch option | `launch_options.rs`, with its name in `__launch_option`, then `call.rs` of `launch`; the errors of `launch!`: `usage.rs` |
//! | a launch attribute | its row of `attributes!` in `launch_options.rs`; its limits: `attributes` |
//! | which form a launch uses | `Form::of` in `form.rs` |
//! | an option of the driver's compiler | its row in `jit_options.rs` |

mod access_policy;
mod attribute_values;
mod device_node;
mod dim;
mod form;
mod into_launch;
mod jit_options;
mod jit_values;
mod launch_options;
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

pub(crate) use launch_options::{Attribute, Attributes};
pub(crate) use stream::StreamTarget;
