//! What the driver is asked about a function and a device.

pub(crate) mod attribute;
pub(crate) mod occupancy;
mod shared_memory;

pub(crate) use shared_memory::{SHARED_WITHOUT_OPT_IN, allow, exceeded};
