//! Driver queries about functions and devices.

pub(crate) mod attribute;
mod device;
mod shared_memory;

#[cfg(feature = "textures")]
pub(crate) use device::attribute_of;
pub(crate) use device::{device_attribute, max_active_blocks, max_cooperative_blocks, max_sizes, number};
pub(crate) use shared_memory::{SHARED_WITHOUT_OPT_IN, allow, exceeded};
