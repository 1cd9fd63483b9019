//! What a failed launch says: the cold path.

use super::status::Status;
use super::{
    error::{Error, LaunchError},
    launch::Launch,
};
use crate::marshal::{Arguments, KernelArgs};
use std::{boxed::Box, format, string::String};

/// An argument belongs to another context than the launch.
#[cold]
pub(super) fn foreign<A: KernelArgs>(kernel: String, field: usize) -> Error {
    Error::Foreign {
        kernel,
        field: A::PARAMETERS.get(field).map(|parameter| parameter.name),
    }
}

/// The driver returned `status`.
#[cold]
pub(super) fn launch(
    kernel: String,
    status: Status,
    launch: &Launch<'_>,
    arguments: &Arguments<'_>,
) -> Error {
    Error::Launch(Box::new(LaunchError {
        kernel,
        status,
        grid: launch.grid,
        block: launch.block,
        shared: launch.shared,
        arguments: format!("{arguments}"),
        meaning: meaning(status),
    }))
}

/// What an error code usually means when a launch returns it. CUDA Driver API, `CUresult`, and experience.
fn meaning(status: Status) -> &'static str {
    match status.0 {
        1 => {
            "a grid, block or shared memory size beyond a limit, or no parameters for a kernel that takes some"
        }
        2 => {
            "no memory for the kernel's local memory or for the module, which is loaded at its first launch"
        }
        3 | 4 => "the driver is not initialised, or the program is shutting down",
        98 | 200 | 209 => {
            "the image holds no code for this GPU: compile for its architecture, or ship PTX"
        }
        201 | 709 => "no context is current on this thread, or it was destroyed",
        400 => "the function or the stream is of another context, or its module was unloaded",
        700 => {
            "an EARLIER kernel accessed memory that is not there (a pointer of the host, freed memory, an index out \
             of bounds); the context is lost. compute-sanitizer names the kernel and the line"
        }
        701 => {
            "the block needs more registers or shared memory than there are; or, in the packed form, the parameters \
             have another size than the kernel's"
        }
        702 => {
            "an EARLIER kernel ran longer than the display's watchdog allows; the context is lost"
        }
        714 | 715 | 717 | 718 | 719 => {
            "an EARLIER kernel failed on the device; the context is lost. compute-sanitizer names the kernel and the line"
        }
        716 => {
            "an EARLIER kernel read a vector type through a pointer that is not aligned for it; the context is lost"
        }
        720 => "more blocks than can be on the device at once, which a cooperative launch needs",
        900..=908 => {
            "the stream is being captured into a graph, and something not allowed there was enqueued"
        }
        _ => "see the CUDA Driver API, `CUresult`",
    }
}
