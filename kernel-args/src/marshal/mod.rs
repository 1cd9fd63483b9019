//! From the fields of a struct to the parameters of a launch.

mod decode;
mod kernel_arg;
mod kernel_args;
mod launch_stream;
mod lower;
mod offset_of;
mod pack_error;
mod param_writer;
mod source;

pub use decode::DecodedArguments;
pub use kernel_arg::{KernelArg, PointerArg};
pub use kernel_args::KernelArgs;
pub use launch_stream::{Guard, LaunchStream};
pub use offset_of::offset_of;
pub use pack_error::PackError;
pub use param_writer::ParamWriter;
pub use source::Source;

#[cfg(feature = "cudarc")]
pub(crate) use lower::{marshal_packed, marshal_params};
