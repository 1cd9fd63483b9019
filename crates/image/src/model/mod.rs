//! An image with its kernels and variables, in any format.

pub(crate) mod contents;
pub(crate) mod encoder;
pub(crate) mod image;
pub(crate) mod kernel;
pub(crate) mod kernels;
pub mod summary;
pub(crate) mod variants;
