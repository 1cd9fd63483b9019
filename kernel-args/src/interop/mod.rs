//! Types of other crates as arguments and device types, one file for each crate.

#[cfg(feature = "cudarc")]
mod cudarc;
#[cfg(feature = "half")]
mod half;

#[cfg(feature = "cudarc")]
mod retained;

#[cfg(feature = "cudarc")]
pub use retained::Retained;

#[cfg(feature = "half")]
pub use half::{BFloat162, Half2};
