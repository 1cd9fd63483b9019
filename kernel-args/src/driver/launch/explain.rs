//! The errors of a launch, created on the cold path.

use super::resources::Resources;
#[cfg(feature = "graphs")]
use crate::driver::{
    error::{Limit, RunError},
    run::NotRecording,
};
use crate::{
    device::vector::Dim3,
    driver::{
        api::{DriverCall, FunctionHandle, LaunchConfig, Status, was_reset},
        attributes::attributes_text,
        config::Attributes,
        error::{
            Asked, BoxedResult, ContextError, ContextMismatch, Error, FailedLaunch, LaunchError, LostContext, Meaning,
            Near, meaning,
        },
        function::{Callee, LoadedFunction, Names},
    },
    marshal::{LaunchStream, text_of},
    memory::{ContextName, ForEachValue, OtherContext},
};
use cudarc::driver::{CudaContext, CudaStream, DriverError};
use std::{borrow::Cow, sync::Arc};

#[cold]
pub(crate) fn other_context(kernel: String, names: Names, other_context: OtherContext) -> Error {
    in_other_context(kernel, names.get(other_context.field), other_context)
}

fn in_other_context(kernel: String, field: Option<Cow<'static, str>>, found: OtherContext) -> Error {
    let contexts = Box::new(ContextMismatch::new(found.launch, found.argument));
    Error::Context(ContextError::OtherContextArgument { kernel, field, contexts })
}

// Each launch contains calls of the functions that are never inlined: they take few arguments.

#[cold]
#[inline(never)]
pub(super) fn own_stream(function: &LoadedFunction, stream: &CudaStream) -> Box<Error> {
    other_context_stream(function.name.clone(), ContextName::of(&function.context), stream).into()
}

#[cold]
#[inline(never)]
pub(super) fn own_unbound(function: &LoadedFunction, error: Error) -> Box<Error> {
    unbound(&function.name, &function.context, error).into()
}

#[cfg(feature = "graphs")]
#[cold]
pub(crate) fn not_recording(what: String, why: NotRecording) -> Error {
    let (reason, help) = match why {
        NotRecording::Over => (
            "the run of the sequence is over",
            "begin a new run, `let run = sequence.begin()?;`, and pass it to the launches of the next step",
        ),
        NotRecording::Busy => (
            "another thread records in this run now",
            "record a run on one thread at a time, for example with the run in a `Mutex`",
        ),
        NotRecording::Unfinished => (
            "an earlier run of this sequence is not over",
            "call `finish` of the earlier run, or drop all its clones; for two runs at the same time, create two sequences",
        ),
        NotRecording::NotEnqueued => (
            "its run records, or was given up",
            "call `finish` of the run before, and read the copy if it returns `Ok`",
        ),
        NotRecording::Inside => (
            "this thread is in a launch of the run, or in the closure of `Sequence::run`",
            "call `finish` after the launch; a run of `Sequence::run` ends with its closure",
        ),
        NotRecording::FromHost => (
            "its stream is being captured, and the run copies from the host, which the captured graph would repeat",
            "copy before the capture, with `stream.memcpy_htod(&values, &mut y)?`",
        ),
        NotRecording::ForHost => (
            "its stream is being captured, and the run copies for the host, which would happen when the captured graph is launched",
            "copy after a launch of the graph, with `stream.clone_dtoh(&y)?`",
        ),
        NotRecording::Unreported => (
            "a kept value does not report a slice that it reported when it was kept",
            "write a `Keep::memory` that reports the same slices in each call",
        ),
        NotRecording::Enqueuing => (
            "a kept value reports its memory, because the first steps of the run are enqueued",
            "record nothing in `Keep::memory`",
        ),
        NotRecording::HalfEnqueued => (
            "its stream is being captured, and the capture was begun when the first steps of the run were enqueued",
            "begin the capture before the run, or after its end",
        ),
        NotRecording::Comparing => (
            "this thread compares the arguments of external work",
            "record nothing in the function `eq` of an argument",
        ),
    };
    Error::Run(RunError::CannotRecord { what, reason, help })
}

#[cfg(feature = "graphs")]
#[cold]
pub(crate) fn not_kept(launched: String, field: Cow<'static, str>) -> Error {
    Error::Launch(LaunchError::NotKept { launched, field })
}

#[cfg(feature = "graphs")]
#[cold]
pub(super) fn device_node_in_sequence(kernel: String) -> Box<Error> {
    Limit::error(
        kernel,
        "`device_updatable_node`",
        "a launch in a sequence has no node of its own",
        "capture the launch into a graph: `launch!(kernel, grid, block, args, node, device_updatable_node = &node)`",
    )
    .into()
}

#[cold]
pub(crate) fn other_context_stream(kernel: String, expected: ContextName, stream: &CudaStream) -> Error {
    let argument = ContextName::of(stream.context());
    other_context(kernel, Names(Some(&[])), OtherContext { field: 0, argument, launch: expected })
}

#[cold]
pub(crate) fn unbound(kernel: &str, context: &CudaContext, error: Error) -> Error {
    match error {
        Error::Driver { call, status, .. } => not_launched(kernel, Some(context), DriverCall { call, status }),
        error => error,
    }
}

#[cold]
pub(crate) fn not_awaited(kernel: &str, context: Option<&CudaContext>, error: DriverError) -> Error {
    let call = DriverCall {
        call: "cuCtxGetCurrent, cuCtxSetCurrent or cuStreamWaitEvent, or an earlier call in this context,",
        status: error.0.into(),
    };
    if let Some(Meaning { what, help }) =
        meaning(call.status, Asked::Launch).filter(|_| (900..=908).contains(&call.status.0))
    {
        return Error::Launch(LaunchError::NotCaptured {
            kernel: kernel.into(),
            status: call.status,
            meaning: what,
            help,
        });
    }
    not_launched(kernel, context, call)
}

fn not_launched(kernel: &str, context: Option<&CudaContext>, call: DriverCall) -> Error {
    destroyed(kernel, context, call).unwrap_or_else(|| {
        let DriverCall { call, status } = call;
        Error::Driver { call, status, lost: LostContext::new(status, Near::Before(kernel.into())) }
    })
}

#[cold]
fn destroyed(kernel: &str, context: Option<&CudaContext>, call: DriverCall) -> Option<Error> {
    let context = context.filter(|context| was_reset(context))?;
    Some(Error::Context(ContextError::Destroyed {
        kernel: Some(kernel.into()),
        context: ContextName::of(context),
        call: Some(call),
    }))
}

#[cold]
pub(super) fn unrecorded(kernel: String, error: DriverError) -> Box<Error> {
    unrecorded_after(Near::After(kernel), error).into()
}

/// After the call of a launcher, or the run of a sequence.
#[cold]
pub(crate) fn unrecorded_after(launched: Near, error: DriverError) -> Error {
    let status = error.0.into();
    Error::Launch(LaunchError::UseNotRecorded {
        kernel: match &launched {
            Near::After(name) | Near::Called(name) => name.clone(),
            _ => "(a sequence)".into(),
        },
        lost: LostContext::new(status, launched),
        call: DriverCall {
            call: "cuEventRecord, cuCtxGetCurrent or cuCtxSetCurrent (for memory of another GPU also cuEventCreate, \
                   cuStreamWaitEvent or cuEventDestroy)",
            status,
        },
    })
}

#[cold]
#[inline(never)]
pub(super) fn argument(callee: Callee<'_>, values: &ForEachValue<'_>, found: OtherContext) -> Box<Error> {
    let (mut index, mut field) = (0, None);
    values(&mut |parameter, _| {
        if index == found.field {
            field = Some(parameter.name.to_string().into());
        }
        index += 1;
    });
    in_other_context(callee.name(), field, found).into()
}

#[cold]
#[inline(never)]
pub(super) fn argument_on(callee: Callee<'_>, values: &ForEachValue<'_>, stream: &LaunchStream<'_>) -> BoxedResult {
    stream.other_context().map_or(Ok(()), |found| Err(argument(callee, values, found)))
}

#[cold]
#[inline(never)]
pub(super) fn arguments_not_awaited(
    callee: Callee<'_>,
    context: Option<&Arc<CudaContext>>,
    error: DriverError,
) -> Box<Error> {
    not_awaited(&callee.name(), context.map(Arc::as_ref), error).into()
}

#[cold]
#[inline(never)]
pub(super) fn rejected(
    callee: Callee<'_>,
    status: Status,
    config: LaunchConfig<'_>,
    attributes: Option<Attributes<'_>>,
    values: &ForEachValue<'_>,
    context: Option<&Arc<CudaContext>>,
) -> Box<Error> {
    let context = context.map(Arc::as_ref);
    launch(callee.name(), callee.handle(), status, config, attributes, text_of(values), context).into()
}

/// The driver returned `status`. The function's context is current, unless it was reset and not created again.
#[cold]
pub(crate) fn launch(
    kernel: String,
    function: FunctionHandle<'_>,
    status: Status,
    config: LaunchConfig<'_>,
    attributes: Option<Attributes<'_>>,
    arguments: String,
    context: Option<&CudaContext>,
) -> Error {
    let call = DriverCall { call: "cuLaunchKernelEx", status };
    if let Some(destroyed) = destroyed(&kernel, context, call) {
        return destroyed;
    }
    let attributes = attributes.as_ref().map(attributes_text).unwrap_or_default();
    // An earlier kernel failed, or a context or handle is invalid, possibly the function's.
    let is_answered = !status.is_fault() && !matches!(status.0, 201 | 400 | 500 | 703..=713);
    let resources = is_answered.then(|| Resources::of(function).ok()).flatten();
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
    Error::Launch(LaunchError::Failed(Box::new(FailedLaunch {
        kernel,
        status,
        grid: Dim3::from(config.grid),
        block: Dim3::from(config.block),
        shared: config.shared,
        resources: resources.map(|resources| resources.to_string()).unwrap_or_default(),
        meaning: cause,
        help,
        attributes,
        arguments,
        lost: LostContext::new(status, Near::Nothing),
    })))
}

const ATTRIBUTES: Meaning = Meaning {
    what: "the driver does not support one of the launch attributes with this kernel, stream or GPU (for example, an event \
           must not record times), or the grid, the block or the shared memory exceeds a limit",
    help: "remove the attributes one by one",
};

const UNKNOWN: Meaning = Meaning { what: "see the CUDA Driver API, `CUresult`", help: "" };
