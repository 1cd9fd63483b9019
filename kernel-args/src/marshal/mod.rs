//! The conversion of arguments into the parameters of a launch.
//!
//! `KernelParams` stores a pointer to each parameter: into the struct itself if the value is already there as the
//! kernel reads it, otherwise into the buffer. `Packed` stores the bytes at their offsets. Padding is zero
//! (`DeviceType` lists all paths). Offsets above 16-byte alignment depend on the GPU (`Sm::param_base`); such a struct
//! is always launched as `kernelParams`. The buffer is a local array. With type parameters, rustc cannot compute an
//! array length: it is then a `repr(C)` struct of slots. If a field is spread or flattened, only rustc knows how many
//! parameters it is: `PARTS` lists the parameters of each field, and `PARAMETERS` joins them.
//!
//! | to change | open |
//! |---|---|
//! | a list of run-time length | `arg_list.rs` |
//! | fields that are several parameters | `parts.rs` here and in the derive; `Within` in `param_writer.rs` |
//! | an argument of a launcher | `launcher.rs` |
//! | which structs are passed without a copy | `in_place.rs` of `__private` |
//! | how an argument is shown | `decode.rs`, `lengths.rs` |

#[cfg(feature = "cudarc")]
mod arg_list;
#[cfg(feature = "cudarc")]
mod argument_types;
mod decode;
mod global_name;
mod kernel_arg;
#[cfg_attr(
    not(feature = "cudarc"),
    allow(clippy::result_large_err, reason = "without `alloc` an error is a large value")
)]
mod kernel_args;
mod launch_stream;
mod launcher;
#[cfg(feature = "observe")]
mod lengths;
mod lower;
mod offset_of;
mod pack_error;
mod param_writer;
mod parts;
#[cfg(feature = "cudarc")]
mod retained;
#[cfg(feature = "cudarc")]
mod slice_arg;
mod source;
#[cfg(feature = "cudarc")]
mod storage;
mod summary;

#[cfg(feature = "cudarc")]
pub use arg_list::ArgList;
pub use global_name::GlobalName;
pub use kernel_arg::{KernelArg, PointerArg};
pub use kernel_args::{KernelArgs, NamesKernel, OwnedArgs};
pub use kernel_args_abi::{Fields, Value, Values};
pub use launch_stream::{Guard, LaunchStream};
pub use launcher::{
    CArgument, LauncherArgs, LauncherStatus, OpaqueArgument, Returned, SharedWriteArgument, StreamArgument,
    StreamParameter, c_argument, returned, stream_argument,
};
pub use lower::DecodedArgs;
pub use offset_of::offset_of;
pub use pack_error::PackError;
pub(crate) use param_writer::forward_put;
pub use param_writer::{ParamWriter, Within};
pub use parts::{Part, Spread, first};
#[cfg(feature = "cudarc")]
pub use retained::Retained;
#[cfg(feature = "cudarc")]
pub use slice_arg::SliceArg;
pub use source::Source;
pub use summary::Summary;

#[cfg(feature = "cudarc")]
pub(crate) use decode::text_of;
#[cfg(feature = "observe")]
pub(crate) use lengths::Lengths;
#[cfg(feature = "cudarc")]
pub(crate) use lower::LoweredAs;
pub(crate) use lower::has_gaps;
#[cfg(any(feature = "graphs", feature = "observe"))]
pub(crate) use lower::marshal_shared;
pub(crate) use param_writer::Row;
#[cfg(feature = "cudarc")]
pub(crate) use {
    argument_types::{ArgumentType, ArgumentTypes, without_paths},
    launch_stream::SequenceSlices,
    lower::{marshal_packed, marshal_params},
};
