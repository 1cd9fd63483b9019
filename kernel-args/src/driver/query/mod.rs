//! Driver queries about functions and devices.

pub(crate) mod attribute;
pub(crate) mod occupancy;
mod shared_memory;

pub(crate) use shared_memory::{SHARED_WITHOUT_OPT_IN, allow, exceeded};
