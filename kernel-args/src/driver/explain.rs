//! What a failed launch says: the cold path.

use super::{
    error::{Error, LaunchError},
    launch::Launch,
};
use crate::{KernelArgs, decode::Arguments};
use cudarc::driver::sys::CUresult;
use std::{boxed::Box, format, string::String};

/// An argument belongs to another context than the launch.
#[cold]
pub(super) fn foreign<A: KernelArgs>(kernel: String, field: usize) -> Error {
    Error::Foreign {
        kernel,
        field: A::PARAMETERS.get(field).map(|parameter| parameter.name),
    }
}

/// The driver returned `error`.
#[cold]
pub(super) fn launch(
    kernel: String,
    error: CUresult,
    launch: &Launch<'_>,
    arguments: &Arguments<'_>,
) -> Error {
    Error::Launch(Box::new(LaunchError {
        kernel,
        error,
        grid: launch.grid,
        block: launch.block,
        shared: launch.shared,
        arguments: format!("{arguments}"),
        meaning: meaning(error),
    }))
}

/// What an error code usually means when a launch returns it. CUDA Driver API, `CUresult`, and experience.
fn meaning(error: CUresult) -> &'static str {
    use CUresult as E;
    match error {
        E::CUDA_ERROR_INVALID_VALUE => {
            "a grid, block or shared memory size beyond a limit, or no parameters for a kernel that takes some"
        }
        E::CUDA_ERROR_DEINITIALIZED | E::CUDA_ERROR_NOT_INITIALIZED => {
            "the driver is not initialised, or the program is shutting down"
        }
        E::CUDA_ERROR_INVALID_CONTEXT => {
            "no context is current on this thread, or it was destroyed"
        }
        E::CUDA_ERROR_INVALID_HANDLE => {
            "the function or the stream is of another context, or its module was unloaded"
        }
        E::CUDA_ERROR_INVALID_IMAGE | E::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            "the image holds no code for this GPU: compile for its architecture, or ship PTX"
        }
        E::CUDA_ERROR_ILLEGAL_ADDRESS => {
            "an EARLIER kernel accessed memory that is not there (a pointer of the host, freed memory, an index out \
             of bounds); the context is lost. compute-sanitizer names the kernel and the line"
        }
        E::CUDA_ERROR_MISALIGNED_ADDRESS => {
            "an EARLIER kernel read a vector type through a pointer that is not aligned for it; the context is lost"
        }
        E::CUDA_ERROR_LAUNCH_FAILED => {
            "an EARLIER kernel failed on the device; the context is lost. compute-sanitizer names the kernel and the line"
        }
        E::CUDA_ERROR_LAUNCH_TIMEOUT => {
            "an EARLIER kernel ran longer than the display's watchdog allows"
        }
        E::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
            "the block needs more registers or shared memory than there are; or, in the packed form, the parameters \
             have another size than the kernel's"
        }
        E::CUDA_ERROR_OUT_OF_MEMORY => {
            "no memory for the kernel's local memory or for the module, which is loaded at its first launch"
        }
        E::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => {
            "more blocks than can be on the device at once"
        }
        E::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED | E::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED => {
            "the stream is being captured into a graph, and something not allowed there was enqueued"
        }
        _ => "see the CUDA Driver API, `CUresult`",
    }
}
