//! The errors of a launch, built on the cold path.

use super::{
    api::Status,
    attributes::describe,
    config::Attributes,
    error::{DriverCall, Error, LaunchError},
    function_attribute as attribute,
    launch_config::LaunchConfig,
    meaning::of_any_call,
};
use crate::{device::vector::Dim3, marshal::KernelArgs};
use cudarc::driver::{DriverError, sys::CUfunction};
use std::{
    boxed::Box,
    format,
    string::{String, ToString},
};

/// A field belongs to another context than the launch.
#[cold]
pub(super) fn foreign<A: KernelArgs>(kernel: String, field: usize) -> Error {
    Error::Foreign {
        kernel,
        field: A::PARAMETERS
            .get(field)
            .map(|parameter| parameter.name.into()),
    }
}

/// An argument of a list belongs to another context than the launch.
#[cold]
pub(super) fn foreign_argument(kernel: String, index: usize) -> Error {
    Error::Foreign {
        kernel,
        field: Some(index.to_string().into()),
    }
}

/// The stream belongs to another context than the kernel.
#[cold]
pub(super) fn foreign_stream(kernel: String) -> Error {
    Error::Foreign {
        kernel,
        field: None,
    }
}

/// The kernel was launched, but the use of an argument's memory was not recorded.
#[cold]
pub(super) fn unrecorded(kernel: String, error: DriverError) -> Error {
    Error::Unrecorded {
        kernel,
        call: DriverCall {
            call: "cuCtxGetCurrent, cuCtxSetCurrent or cuEventRecord",
            status: error.0.into(),
        },
    }
}

/// What a launch needs that may be beyond a limit, as the driver tells it; empty where it does not, after an error of an earlier
/// kernel for example.
///
/// # Safety
/// `function` is loaded, and its context is current.
#[cold]
unsafe fn needs(function: CUfunction) -> String {
    let [registers, shared, local, threads] = [
        attribute::NUM_REGS,
        attribute::SHARED_SIZE_BYTES,
        attribute::LOCAL_SIZE_BYTES,
        attribute::MAX_THREADS_PER_BLOCK,
    ]
    // SAFETY: the caller vouches for the function and its context.
    .map(|number| unsafe { attribute::get(function, number) }.ok());
    let (Some(registers), Some(shared), Some(local), Some(threads)) =
        (registers, shared, local, threads)
    else {
        return String::new();
    };
    format!(
        "{registers} registers and {local} bytes of local memory per thread, {shared} bytes of static shared memory, blocks of at most \
         {threads} threads"
    )
}

/// The driver returned `status`.
///
/// # Safety
/// `function` is loaded, and its context is current.
#[cold]
pub(super) unsafe fn launch(
    kernel: String,
    function: CUfunction,
    status: Status,
    config: LaunchConfig,
    attributes: Option<Attributes<'_>>,
    arguments: String,
) -> Error {
    let attributes = attributes.as_ref().map(describe).unwrap_or_default();
    // Where an earlier kernel failed, this one is not to blame; where a handle is not valid, it may be the function's.
    let needs = if of_any_call(status).is_some() || matches!(status.0, 400 | 500) {
        String::new()
    } else {
        // SAFETY: the caller vouches for the function and its context.
        unsafe { needs(function) }
    };
    Error::Launch(Box::new(LaunchError {
        kernel,
        status,
        grid: Dim3::from(config.grid),
        block: Dim3::from(config.block),
        shared: config.shared,
        meaning: meaning(status, !attributes.is_empty()),
        attributes,
        needs,
        arguments,
    }))
}

/// What an error code usually means when a launch returns it: CUDA Driver API, `CUresult`.
pub(super) fn meaning(status: Status, has_attributes: bool) -> &'static str {
    if let Some(meaning) = of_any_call(status) {
        return meaning;
    }
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
        98 | 200 | 209 => {
            "the image holds no code for this GPU: compile for its architecture, or ship PTX"
        }
        400 => "the function or the stream belongs to another context, or the module was unloaded",
        701 => {
            "the block needs more registers or shared memory than the GPU has; or, in the packed form, the parameters \
             have another size than the kernel's"
        }
        218 | 222 => {
            "the driver's compiler does not take the kernel's PTX, which it compiles at the first launch: set \
             `CUDA_MODULE_LOADING=EAGER` to have the error when the module is loaded"
        }
        703 => "the kernel's use of textures does not go with their mode",
        720 => "a cooperative launch has more blocks than the device can run at once",
        912 => {
            "the blocks of the cluster do not fit on the GPU together: the cluster is larger than it runs, or its blocks need \
             more shared memory or registers than it has for so many at once"
        }
        500 => {
            "the kernel, or a variable that it uses, is not in the module any more: the module was unloaded"
        }
        800 => "the call is not permitted here: in a callback of a stream, for example",
        801 => "the GPU or the driver does not support this launch",
        900..=908 => {
            "the stream is being captured into a graph, and the capture does not allow this call"
        }
        _ => "see the CUDA Driver API, `CUresult`",
    }
}
