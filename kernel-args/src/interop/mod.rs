//! Types of other crates as arguments and device types, one file for each crate.
//!
//! | to change | open |
//! |---|---|
//! | a type of another crate | its file here, its feature, and `foreign.rs` of the test values |
//! | which types can be in cudarc's memory | `device_memory.rs`, `device_repr.rs`; for the derive its own `device_memory.rs` |

#[cfg(feature = "cudarc")]
mod cudarc;
#[cfg(feature = "cudarc")]
mod device_memory;
#[cfg(feature = "cudarc")]
mod elements;
#[cfg(feature = "float8")]
mod float8;
#[cfg(any(feature = "glam", feature = "glam-032"))]
mod glam;
#[cfg(feature = "half")]
mod half;
#[cfg(feature = "mint")]
mod mint;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "num-complex")]
mod num_complex;
#[cfg(any(feature = "glam", feature = "glam-032", feature = "mint", feature = "nalgebra", feature = "num-complex"))]
mod same_as;
#[cfg(any(feature = "mint", feature = "nalgebra"))]
mod vector_element;

#[cfg(feature = "graphs")]
mod foreign;
#[cfg(feature = "graphs")]
mod held;
#[cfg(feature = "graphs")]
mod keep;
#[cfg(feature = "graphs")]
mod pool;
#[cfg(feature = "cudarc")]
mod retained;
#[cfg(feature = "graphs")]
mod thread_lock;

#[cfg(feature = "graphs")]
pub use self::cudarc::{DeviceMemory, DeviceMemoryMut};
#[cfg(feature = "graphs")]
pub use foreign::{ForeignArg, ForeignArgs, Handle, Value};
#[cfg(feature = "graphs")]
pub(crate) use held::enter_held;
#[cfg(feature = "graphs")]
pub use held::{Held, Hold};
#[cfg(feature = "graphs")]
pub use keep::{Keep, KeptMemory};
#[cfg(feature = "graphs")]
pub(crate) use keep::{Kept, enter_kept};
#[cfg(feature = "graphs")]
pub use pool::{MemoryUse, PoolSlice};
#[cfg(feature = "graphs")]
pub(crate) use pool::{NoMemory, PoolMemory, alloc_bytes};
#[cfg(feature = "cudarc")]
pub use retained::Retained;
#[cfg(feature = "graphs")]
pub(crate) use thread_lock::Entered;

#[cfg(feature = "half")]
pub use half::{BFloat162, Half2};
