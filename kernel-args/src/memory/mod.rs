//! Which memory a launch or a run may use: contexts, slices that a run holds or owns, pools, uses by streams.
//!
//! | to change | open |
//! |---|---|
//! | which memory a run may use | `run_memory.rs`; a slice that is borrowed: `held.rs`, a value that the run owns: `keep.rs` |
//! | memory that a run or a pool allocates | `pool.rs`; who may change it: `thread_lock.rs` |
//! | which types are device memory | `device_memory.rs`; `Memory` and slices of a pool: `memory.rs` of `driver/sequence` |
//! | an argument of external work | `work_args.rs` |
//! | which memory a step reads and writes | `uses.rs`; textures and surfaces: `tracked.rs` |

#[cfg(feature = "cudarc")]
mod append_list;
#[cfg(feature = "cudarc")]
mod context_name;
#[cfg(feature = "graphs")]
mod device_memory;
#[cfg(feature = "graphs")]
mod held;
#[cfg(feature = "graphs")]
mod keep;
#[cfg(feature = "graphs")]
mod pool;
#[cfg(feature = "graphs")]
mod ranges;
#[cfg(feature = "graphs")]
mod run_memory;
#[cfg(feature = "graphs")]
mod thread_lock;
#[cfg(feature = "textures")]
mod tracked;
#[cfg(feature = "graphs")]
mod uses;
#[cfg(feature = "graphs")]
mod work_args;

#[cfg(feature = "cudarc")]
pub use context_name::ContextName;
#[cfg(feature = "graphs")]
pub use {
    device_memory::{DeviceMemory, DeviceMemoryMut},
    held::{Held, Hold},
    keep::{Keep, KeptMemory},
    pool::{MemoryUse, PoolSlice},
    work_args::{ExternalArg, ExternalArgs, Handle, Value},
};

#[cfg(feature = "textures")]
pub(crate) use tracked::{ObjectUses, Tracked};
#[cfg(feature = "cudarc")]
pub(crate) use {append_list::AppendList, context_name::OtherContext};
#[cfg(feature = "graphs")]
pub(crate) use {
    device_memory::memory,
    held::enter_held,
    keep::{Kept, enter_kept},
    pool::{DeclareSlice, NoMemory, PoolMemory, bind_for_drops, refuse_capture, slice_at},
    ranges::ALL_MEMORY,
    run_memory::{After, Enter, EnteredSlice, HeldMemory, HeldSlice, RunMemory},
    thread_lock::LockGuard,
    uses::{Access, Accesses, Addresses, StepUses},
};

/// Calls its argument with each parameter of a launch and its bytes, in order.
pub(crate) type ForEachValue<'v> = dyn Fn(&mut VisitValue<'_>) + 'v;

pub(crate) type VisitValue<'v> = dyn FnMut(&kernel_args_abi::Parameter<'_>, &[u8]) + 'v;
