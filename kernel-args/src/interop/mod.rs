//! Types of other crates as arguments and device types, one file for each crate.

#[cfg(feature = "cudarc")]
mod cudarc;
#[cfg(feature = "cudarc")]
mod device_memory;
#[cfg(feature = "half")]
mod half;

#[cfg(feature = "half")]
pub use half::{BFloat162, Half2};
