//! What a cubin says of its kernels: a record of offset and size for each parameter, launch bounds,
//! and the GPU generation.
//!
//! The format is not documented. What is read here was found in the output of ptxas 13.0 and
//! nvcc 13.0 for sm_75 to sm_120, by compiling PTX whose parameters are known.

mod error;
mod info;
mod kernel;
mod read;
mod validate;

pub use error::Error;
pub use kernel::{Cubin, Kernel, Parameter, Resources};
pub use read::{MACHINE, parse};

pub(crate) use read::sm_of;
pub(crate) use validate::validate;
