//! The errors of a launch, built on the cold path.

use super::{
    api::Status,
    attributes::describe,
    config::Attributes,
    error::{DriverCall, Error, LaunchError},
    launch_config::LaunchConfig,
    meaning::{Asked, Meaning, meaning},
    resources::Resources,
};
use crate::{device::vector::Dim3, marshal::KernelArgs};
use cudarc::driver::{DriverError, sys::CUfunction};
use std::{
    boxed::Box,
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

/// The driver returned `status` from the launch of `function`.
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
    // Where an earlier kernel has failed, this one is not to blame; where a handle is not valid, it may be the function's.
    let is_answered = !matches!(status.0, 400 | 500 | 700 | 702..=719);
    // SAFETY: the caller's promise is the same one.
    let resources = is_answered
        .then(|| unsafe { Resources::of(function) }.ok())
        .flatten();
    let usual = match status.0 {
        1 | 801 if !attributes.is_empty() => ATTRIBUTES,
        _ => meaning(status, Asked::Launch).unwrap_or(UNKNOWN),
    };
    let exceeded = match status.0 {
        1 | 701 => resources.and_then(|resources| resources.exceeded(&config)),
        _ => None,
    };
    let (cause, help) = match exceeded {
        Some((limit, help)) => (limit.into(), help),
        None => (usual.what.into(), usual.help),
    };
    Error::Launch(Box::new(LaunchError {
        kernel,
        status,
        grid: Dim3::from(config.grid),
        block: Dim3::from(config.block),
        shared: config.shared,
        resources: resources
            .map(|resources| resources.to_string())
            .unwrap_or_default(),
        meaning: cause,
        help,
        attributes,
        arguments,
    }))
}

/// A launch with attributes, whose limits do not explain the error.
const ATTRIBUTES: Meaning = Meaning {
    what: "the driver does not take one of the launch attributes with this kernel, stream or GPU (an event must not record \
           times, for example), or the grid, the block or the shared memory is beyond a limit",
    help: "leave out the attributes one by one",
};

const UNKNOWN: Meaning = Meaning {
    what: "see the CUDA Driver API, `CUresult`",
    help: "",
};
