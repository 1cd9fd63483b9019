//! From the fields of a struct to the parameters of a launch.

mod decode;
mod kernel_arg;
mod kernel_args;
mod launch_stream;
mod param_writer;

pub use decode::Arguments;
pub use kernel_arg::{KernelArg, PointerArg};
pub use kernel_args::{KernelArgs, PackError, Source};
pub use launch_stream::{Guard, LaunchStream};
pub use param_writer::ParamWriter;

#[cfg(feature = "cudarc")]
pub(crate) use kernel_args::{marshal_packed, marshal_params};
