//! The errors of a launch, built on the cold path.

use super::{
    api::Status,
    attributes::describe,
    config::Attributes,
    context_error::ContextMismatch,
    context_state::was_reset,
    error::{DriverCall, Error, LaunchError},
    launch_config::LaunchConfig,
};
use crate::{
    device::vector::Dim3,
    marshal::{ContextName, Foreign, KernelArgs},
};
use cudarc::driver::{CudaContext, CudaStream, DriverError};
use std::{
    boxed::Box,
    string::{String, ToString},
};

/// A field belongs to another context than the launch.
#[cold]
pub(super) fn foreign<A: KernelArgs>(kernel: String, foreign: Foreign) -> Error {
    let field = A::PARAMETERS.get(foreign.field);
    Error::Foreign {
        kernel,
        field: field.map(|parameter| parameter.name.into()),
        contexts: Box::new(ContextMismatch::new(foreign.launch, foreign.argument)),
    }
}

/// An argument of a list belongs to another context than the launch.
#[cold]
pub(super) fn foreign_argument(kernel: String, foreign: Foreign) -> Error {
    Error::Foreign {
        kernel,
        field: Some(foreign.field.to_string().into()),
        contexts: Box::new(ContextMismatch::new(foreign.launch, foreign.argument)),
    }
}

/// The stream belongs to another context than the kernel.
#[cold]
pub(super) fn foreign_stream(kernel: String, expected: ContextName, stream: &CudaStream) -> Error {
    Error::Foreign {
        kernel,
        field: None,
        contexts: Box::new(ContextMismatch::new(
            expected,
            ContextName::of(stream.context()),
        )),
    }
}

/// The context of a kernel could not be made current.
#[cold]
pub(super) fn unbound(kernel: &str, context: &CudaContext, error: DriverError) -> Error {
    let call = DriverCall {
        call: "cuCtxGetCurrent or cuCtxSetCurrent",
        status: error.0.into(),
    };
    destroyed(kernel, Some(context), call).unwrap_or_else(|| Error::context(error))
}

/// A launch could not be made to wait for the last use of its arguments.
#[cold]
pub(super) fn not_awaited(
    kernel: &str,
    context: Option<&CudaContext>,
    error: DriverError,
) -> Error {
    let call = DriverCall {
        call: "cuCtxGetCurrent, cuCtxSetCurrent or cuStreamWaitEvent, or an earlier call in this context,",
        status: error.0.into(),
    };
    destroyed(kernel, context, call).unwrap_or(Error::Driver(call))
}

/// The error of a call in a context that was reset and has not been made again.
#[cold]
fn destroyed(kernel: &str, context: Option<&CudaContext>, call: DriverCall) -> Option<Error> {
    let context = context.filter(|context| was_reset(context))?;
    Some(Error::ContextDestroyed {
        kernel: Some(kernel.into()),
        context: ContextName::of(context),
        call: Some(call),
    })
}

/// The kernel was launched, but the use of an argument's memory was not recorded.
#[cold]
pub(super) fn unrecorded(kernel: String, error: DriverError) -> Error {
    Error::Unrecorded {
        kernel,
        call: DriverCall {
            call: "cuEventRecord, cuCtxGetCurrent or cuCtxSetCurrent (for memory of another GPU also cuEventCreate, \
                   cuStreamWaitEvent or cuEventDestroy)",
            status: error.0.into(),
        },
    }
}

/// The driver returned `status`. `context` is that of the launch, as far as it is known.
#[cold]
pub(super) fn launch(
    kernel: String,
    status: Status,
    config: LaunchConfig,
    attributes: Option<Attributes<'_>>,
    arguments: String,
    context: Option<&CudaContext>,
) -> Error {
    let call = DriverCall {
        call: "cuLaunchKernelEx",
        status,
    };
    if let Some(destroyed) = destroyed(&kernel, context, call) {
        return destroyed;
    }
    let attributes = attributes.as_ref().map(describe).unwrap_or_default();
    Error::Launch(Box::new(LaunchError {
        kernel,
        status,
        grid: Dim3::from(config.grid),
        block: Dim3::from(config.block),
        shared: config.shared,
        meaning: meaning(status, !attributes.is_empty()),
        attributes,
        arguments,
    }))
}

/// What an error code usually means when a launch returns it: CUDA Driver API, `CUresult`.
pub(super) fn meaning(status: Status, has_attributes: bool) -> &'static str {
    match status.0 {
        1 | 801 if has_attributes => {
            "the driver does not take one of the launch attributes with this kernel, stream or GPU (an event must not record \
             times, for example), or the grid, the block or the shared memory is beyond a limit"
        }
        1 => {
            "the grid, the block or the shared memory is beyond a limit, or the kernel takes parameters and got none"
        }
        2 => {
            "there is not enough memory for the kernel's local memory, or for its module, which is loaded at the first launch"
        }
        3 | 4 => "the driver is not initialised, or the program is shutting down",
        98 | 200 | 209 => {
            "the image holds no code for this GPU: compile for its architecture, or ship PTX"
        }
        201 | 709 => "no context is current on this thread, or the context was destroyed",
        400 => "the function or the stream belongs to another context, or the module was unloaded",
        700 => {
            "an EARLIER kernel accessed an invalid address (a host pointer, freed memory, an index out of bounds), and \
             the context is lost; compute-sanitizer names the kernel and the line"
        }
        701 => {
            "the block needs more registers or shared memory than the GPU has; or, in the packed form, the parameters \
             have another size than the kernel's"
        }
        702 => {
            "an EARLIER kernel ran longer than the display's watchdog allows, and the context is lost"
        }
        714 | 715 | 717 | 718 | 719 => {
            "an EARLIER kernel failed on the device, and the context is lost; compute-sanitizer names the kernel and the line"
        }
        716 => {
            "an EARLIER kernel used a pointer that is not aligned for its type, and the context is lost"
        }
        720 => "a cooperative launch has more blocks than the device can run at once",
        912 => {
            "the blocks of the cluster do not fit on the GPU together: the cluster is larger than it runs, or its blocks need \
             more shared memory or registers than it has for so many at once"
        }
        900..=908 => {
            "the stream is being captured into a graph, and the capture does not allow this call"
        }
        _ => "see the CUDA Driver API, `CUresult`",
    }
}
