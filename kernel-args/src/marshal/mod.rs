//! The conversion of arguments into the parameters of a launch.

#[cfg(feature = "cudarc")]
mod arg_list;
#[cfg(feature = "cudarc")]
mod argument_types;
#[cfg(feature = "cudarc")]
mod context_name;
mod decode;
mod global_name;
#[cfg(feature = "cudarc")]
mod held_slices;
mod kernel_arg;
#[cfg_attr(
    not(feature = "cudarc"),
    allow(
        clippy::result_large_err,
        reason = "without `alloc` an error is a large value"
    )
)]
mod kernel_args;
mod launch_stream;
mod lower;
mod offset_of;
mod pack_error;
mod param_writer;
mod parts;
#[cfg(feature = "cudarc")]
mod slice_arg;
mod source;
#[cfg(feature = "cudarc")]
mod storage;
mod summary;
#[cfg(feature = "cudarc")]
mod uses;

#[cfg(feature = "cudarc")]
pub use arg_list::ArgList;
#[cfg(feature = "cudarc")]
pub use context_name::ContextName;
pub use global_name::GlobalName;
pub use kernel_arg::{KernelArg, PointerArg};
pub use kernel_args::{KernelArgs, NamesKernel, OwnedArgs};
pub use launch_stream::{Guard, LaunchStream};
pub use lower::DecodedArgs;
pub use offset_of::offset_of;
pub use pack_error::PackError;
pub(crate) use param_writer::forward_put;
pub use param_writer::{ParamWriter, Within};
pub use parts::{Part, Spread, first};
#[cfg(feature = "cudarc")]
pub use slice_arg::SliceArg;
pub use source::Source;
pub use summary::Summary;

pub(crate) use lower::has_gaps;
pub(crate) use param_writer::Row;
#[cfg(feature = "cudarc")]
pub(crate) use {
    argument_types::{ArgumentType, ArgumentTypes},
    context_name::Foreign,
    held_slices::{After, Entered, HeldSlice, HeldSlices},
    lower::{marshal_packed, marshal_params},
    uses::{Access, Accesses, Uses},
};
