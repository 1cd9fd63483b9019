//! An image with its kernels and variables, in any format.

pub(crate) mod contents;
pub(crate) mod encoder;
pub(crate) mod image;
pub(crate) mod kernel;
pub(crate) mod kernels;
#[cfg(feature = "debug-info")]
pub(crate) mod launcher_error;
#[cfg(feature = "debug-info")]
pub(crate) mod launchers;
pub mod summary;
pub(crate) mod variants;
