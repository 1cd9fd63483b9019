//! Calls of launchers: functions of the host that launch kernels.

use super::{
    call::{finish, ready},
    explain::{foreign, unbound},
};
#[cfg(feature = "graphs")]
use crate::driver::error::Limit;
#[cfg(any(feature = "graphs", feature = "observe"))]
use crate::driver::watched::is_plain;
#[cfg(feature = "observe")]
use crate::{
    contract::Geometry,
    device::vector::Dim3,
    driver::{
        api::LaunchConfig,
        config::Form,
        observe::{self, Event, LaunchEvent, LauncherEvent},
    },
};
use crate::{
    driver::{
        api::{Promise, StreamHandle, api},
        config::{AsStream, Launch, StreamTarget},
        context::bind,
        error::{ContextError, Error, FailedLauncher, LaunchError, runtime_name},
        function::{Arguments, check_contracts},
    },
    marshal::{
        DecodedArgs, ForEachValue, LaunchStream, LauncherArgs, Returned, StreamArgument, marshal_params, text_of,
    },
};
use core::ptr;
use kernel_args_abi::{
    Parameter,
    texts::{Message, templates},
};
use std::{boxed::Box, string::String};

/// The function that a `launch!` names: the source text of its path.
pub trait LauncherName {
    /// The source text.
    const NAME: &'static str;
}

/// The stream that a launch of a launcher names.
#[inline(always)]
pub fn stream_target<'l>(stream: &'l (impl AsStream + ?Sized)) -> Option<StreamTarget<'l>> {
    Some(stream.target())
}

/// Calls a launcher. [`launch!`](crate::launch!) expands to a call of this function for a struct with
/// `#[kernel_args(launcher = path)]`. `STREAM` and `DEFAULT_STREAM` are the options that it names.
///
/// # Errors
/// An [`Error`] if an argument belongs to a different context, a contract is broken, or the launcher returns an error.
///
/// # Safety
/// The requirements of [`launch()`](crate::launch()), for all that the function does.
#[inline(always)]
pub unsafe fn call_launcher<
    N: LauncherName,
    const STREAM: bool,
    const DEFAULT_STREAM: bool,
    F: ?Sized,
    A: LauncherArgs,
>(
    _: &F,
    target: Option<StreamTarget<'_>>,
    args: A,
) -> Result<(), Error> {
    const { check::<A>(N::NAME, STREAM, DEFAULT_STREAM) };
    // SAFETY: the caller promises it, and only this call takes the promise.
    let promise = unsafe { Promise::new() };
    #[cfg(any(feature = "graphs", feature = "observe"))]
    if !is_plain() {
        return watched((args, target, promise));
    }
    enqueue(args, target, promise, false)
}

/// The compile errors of a launch.
const fn check<A: LauncherArgs>(function: &str, names_stream: bool, names_default: bool) {
    let (mut message, name): (Message, _) = (Message::new(), A::LAUNCHER);
    if !ends_with(function.as_bytes(), name.as_bytes()) {
        templates::other_launcher(&mut message, A::NAME, name, function);
    } else if A::TAKES_STREAM && !names_stream {
        templates::launcher_without_stream(&mut message, name);
    } else if !A::TAKES_STREAM && !names_default {
        templates::launcher_on_default_stream(&mut message, name);
    } else {
        return;
    }
    message.fail()
}

/// Whether the last name of a path is `name`.
const fn ends_with(path: &[u8], name: &[u8]) -> bool {
    let Some(start) = path.len().checked_sub(name.len()) else {
        return false;
    };
    let mut i = 0;
    while i < name.len() {
        if path[start + i] != name[i] {
            return false;
        }
        i += 1;
    }
    start == 0 || matches!(path[start - 1], b':' | b' ' | b'#')
}

#[cfg(any(feature = "graphs", feature = "observe"))]
#[cold]
#[inline(never)]
fn watched<A: LauncherArgs>((args, target, promise): (A, Option<StreamTarget<'_>>, Promise<'_>)) -> Result<(), Error> {
    enqueue(args, target, promise, true)
}

#[inline(always)]
fn enqueue<A: LauncherArgs>(
    mut args: A,
    target: Option<StreamTarget<'_>>,
    promise: Promise<'_>,
    is_watched: bool,
) -> Result<(), Error> {
    let (api, name) = (api()?, || String::from(A::LAUNCHER));
    let stream = target.map(|target| target.stream);
    #[cfg(feature = "graphs")]
    if is_watched {
        if target.is_some_and(|target| target.recording.is_some()) {
            return Err(not_in_sequence(name()));
        }
        super::enclosing::check(stream, || std::format!("launcher `{}`", A::LAUNCHER))?;
    }
    check_contracts(&args, &mut Launch::new(1, 1), true, name)?;
    let launch_stream = match stream {
        Some(stream) => LaunchStream::on(stream),
        None => LaunchStream::in_context(ptr::null_mut()),
    };
    args.check_contexts(&launch_stream, 0);
    if let Some(field) = launch_stream.foreign() {
        return Err(foreign(name(), <A as Arguments>::name_of, field));
    }
    match launch_stream.context() {
        Some(context) => bind(api, context).map_err(|error| unbound(A::LAUNCHER, context, error))?,
        // No argument has a context: the launcher works in the current one.
        None if api.current()?.is_null() => return Err(Error::Context(ContextError::NoCurrent { kernel: name() })),
        None => {}
    }
    let handle = stream.map_or(StreamHandle::DEFAULT, Into::into);
    #[cfg(feature = "observe")]
    let lengths = (is_watched && observe::is_active())
        .then(|| args.lengths(Geometry::new(Dim3::new(1, 1, 1), Dim3::new(1, 1, 1))));
    #[cfg(not(feature = "observe"))]
    let _ = is_watched;
    let launched = marshal_params(&mut args, &launch_stream, |params| {
        ready(&launch_stream, name, <A as Arguments>::name_of)?;
        let params = &*params;
        let values = |visit: &mut dyn FnMut(&Parameter<'_>, &[u8])| {
            // SAFETY: `marshal_params` passes a pointer to each parameter, whose bytes are initialised until this closure returns.
            unsafe { DecodedArgs::params(A::PARAMETERS, params) }.visit(visit);
        };
        let call = move || {
            let _: Promise<'_> = promise;
            // SAFETY: the same pointers, to the lowered arguments: values of the device types. The caller has promised that the function may
            // be called with them.
            let returned = unsafe { A::call(params.as_ptr(), StreamArgument(handle.raw().cast())) };
            if returned.code == 0 { Ok(()) } else { Err(failed(A::LAUNCHER, returned, &values)) }
        };
        #[cfg(feature = "observe")]
        if let Some(lengths) = &lengths {
            let event = LauncherEvent(LaunchEvent {
                function: None,
                name: &name,
                module: None,
                #[cfg(feature = "record")]
                image: None,
                config: &LaunchConfig::new([0; 3], [0; 3], 0, handle),
                stream,
                context: launch_stream.context(),
                attributes: None,
                form: Form::KernelParams,
                is_recorded: false,
                code: None,
                lengths,
                parameters: Some(A::PARAMETERS),
                values: &values,
            });
            return observe::around(&Event::LauncherCall(&event), call);
        }
        call()
    });
    finish(&launch_stream, name, launched)
}

#[cold]
fn failed(launcher: &str, returned: Returned, values: &ForEachValue<'_>) -> Error {
    let Returned { code, is_cuda } = returned;
    Error::Launch(LaunchError::Launcher(Box::new(FailedLauncher {
        launcher: launcher.into(),
        code,
        name: is_cuda.then(|| runtime_name(code)).flatten(),
        arguments: text_of(values),
        #[cfg(feature = "observe")]
        fault: None,
    })))
}

#[cfg(feature = "graphs")]
#[cold]
fn not_in_sequence(launcher: String) -> Error {
    Limit::error(
        launcher,
        "a launch in a sequence",
        "it is a function of the host, which a sequence does not record",
        "launch it on a stream, before or after the run: `stream = &stream`",
    )
}
