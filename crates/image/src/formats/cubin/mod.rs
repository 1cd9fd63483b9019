//! Reads cubins: the offset and size of each parameter, launch bounds, and the GPU generation.
//!
//! The format is not documented. The rules come from the output of ptxas 13.0 and nvcc 13.0 for sm_75 to sm_120.

mod error;
mod info;
mod kernel;
mod read;
mod validate;

pub use error::Error;
pub use kernel::{Cubin, Kernel, Parameter, Resources, Variable};
pub use read::{MACHINE, parse};

pub(crate) use read::sm_of;
pub(crate) use validate::validate;
