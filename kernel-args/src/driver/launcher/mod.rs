//! Calls of launchers: functions of the host that launch kernels.

#[cfg(feature = "graphs")]
mod record;

#[cfg(any(feature = "graphs", feature = "observe"))]
use crate::driver::{launch::Watched, watched::is_plain};
#[cfg(feature = "graphs")]
use crate::driver::{
    launch::{check_place, not_recording},
    run::Entered,
};
#[cfg(feature = "observe")]
use crate::{
    contract::Geometry,
    device::vector::Dim3,
    driver::{
        function::lengths,
        observe::{self, Event, LauncherEvent},
    },
    marshal::Lengths,
};
use crate::{
    driver::{
        api::{Promise, Status, StreamHandle, api},
        config::{AsStream, Launch, StreamTarget},
        context::bind,
        error::{BoxedResult, ContextError, Error, FailedLauncher, LaunchError, LostContext, Near, runtime_name},
        function::{Names, check_contracts},
        launch::{Door, Path, Plain, finish, not_awaited, other_context, prepare, unbound, unrecorded_after},
    },
    marshal::{DecodedArgs, LaunchStream, LauncherArgs, LoweredAs, Returned, StreamArgument, marshal_params, text_of},
    memory::OtherContext,
};
use core::{ffi::c_void, marker::PhantomData, ptr};
use cudarc::driver::{CudaContext, CudaStream};
use kernel_args_abi::{
    Parameter,
    texts::{Message, templates},
};
use std::sync::Arc;

/// The function that a `launch!` names: the source text of its path.
pub trait LauncherName {
    /// The source text.
    const NAME: &'static str;
}

/// Returns the stream that a launch of a launcher names.
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
    enqueue::<A, Plain>(args, target, promise).map_err(|error| *error)
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

/// Returns whether the last name of a path is `name`.
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
    enqueue::<A, Watched>(args, target, promise).map_err(|error| *error)
}

/// A launcher has no limits and no attributes.
struct LauncherDoor<'d, 'l, A, P> {
    args: &'d mut A,
    target: Option<StreamTarget<'l>>,
    promise: Promise<'d>,
    path: PhantomData<P>,
    #[cfg(feature = "graphs")]
    entered: Option<Entered<'l>>,
}

impl<'l, A: LauncherArgs, P: Path> Door<'l> for LauncherDoor<'_, 'l, A, P> {
    type Output = ();

    #[inline(always)]
    fn place(&mut self) -> BoxedResult {
        #[cfg(feature = "graphs")]
        if P::IS_WATCHED {
            let (args, launcher) = (&*self.args, || format!("launcher `{}`", A::LAUNCHER));
            if let Some(run) = self.target.and_then(|target| target.recording) {
                self.entered = Some(run.enter().map_err(|why| not_recording(launcher(), why))?);
            } else {
                let stream = self.target.map(|target| target.stream);
                let report = &|stream: &LaunchStream<'_>| args.check_contexts(stream, 0);
                check_place(stream, report, names::<A>(), &launcher)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn contracts(&mut self) -> BoxedResult {
        Ok(check_contracts(&*self.args, &mut Launch::new(1, 1), None, true, name::<A>)?)
    }

    #[inline(always)]
    fn stream(&self) -> LaunchStream<'l> {
        match self.target {
            Some(target) => LaunchStream::on(target.stream),
            None => LaunchStream::in_context(ptr::null_mut()),
        }
    }

    #[cfg(feature = "graphs")]
    #[inline(always)]
    fn is_deferred(&self) -> bool {
        P::IS_WATCHED && self.entered.is_some()
    }

    #[inline(always)]
    fn arguments(&self, stream: &LaunchStream<'l>) -> BoxedResult {
        self.args.check_contexts(stream, 0);
        match stream.other_context() {
            Some(field) => Err(elsewhere::<A>(field)),
            None => Ok(()),
        }
    }

    #[inline(always)]
    fn bind(&mut self, stream: &LaunchStream<'l>) -> BoxedResult {
        let api = api().map_err(Error::from)?;
        match stream.context() {
            Some(context) => Ok(bind(api, context).map_err(|error| unbound(A::LAUNCHER, context, error))?),
            // No argument has a context: the launcher works in the current one.
            None if api.current()?.is_null() => {
                Err(Error::Context(ContextError::NoCurrent { kernel: name::<A>() }).into())
            }
            None => Ok(()),
        }
    }

    #[inline(always)]
    fn call(self, launch_stream: &LaunchStream<'l>) -> BoxedResult {
        let Self { args, target, promise, .. } = self;
        #[cfg(feature = "graphs")]
        if P::IS_WATCHED
            && let (Some(entered), Some(run)) = (self.entered, target.and_then(|target| target.recording))
        {
            return Ok(record::record(run, &entered, args, promise)?);
        }
        let stream = target.map(|target| target.stream);
        let call = Call::of::<_, P>(args, stream, launch_stream.context());
        let launched = Lowered::with(args, launch_stream, |lowered| {
            // Some arguments report their context only when they are lowered.
            if let Some(field) = launch_stream.other_context() {
                return Err(elsewhere::<A>(field));
            }
            if let Err(error) = launch_stream.check() {
                return Err(not_awaited(A::LAUNCHER, launch_stream.context().map(Arc::as_ref), error).into());
            }
            Ok(call.around(&lowered, || lowered.call::<P>(stream.map_or(StreamHandle::DEFAULT, Into::into), promise))?)
        });
        finish(launched, launch_stream, |error| unrecorded_after(Near::Called(name::<A>()), error).into())
    }
}

#[cold]
fn elsewhere<A: LauncherArgs>(field: OtherContext) -> Box<Error> {
    other_context(name::<A>(), names::<A>(), field).into()
}

#[inline(always)]
fn enqueue<A: LauncherArgs, P: Path>(
    mut args: A,
    target: Option<StreamTarget<'_>>,
    promise: Promise<'_>,
) -> BoxedResult {
    prepare(LauncherDoor::<A, P> {
        args: &mut args,
        target,
        promise,
        path: PhantomData,
        #[cfg(feature = "graphs")]
        entered: None,
    })
}

fn name<A: LauncherArgs>() -> String {
    A::LAUNCHER.into()
}

fn names<A: LauncherArgs>() -> Names {
    Names(Some(A::PARAMETERS))
}

struct Lowered<'p, A> {
    /// A pointer to each parameter, whose bytes are a lowered field for `'p`.
    params: &'p [*mut c_void],
    args: PhantomData<A>,
}

impl<A: LauncherArgs> Lowered<'_, A> {
    #[inline(always)]
    fn with<R>(args: &mut A, stream: &LaunchStream<'_>, then: impl FnOnce(Lowered<'_, A>) -> R) -> R {
        marshal_params(args, stream, |params| then(Lowered { params, args: PhantomData }))
    }

    fn values(&self, visit: &mut dyn FnMut(&Parameter<'_>, &[u8])) {
        // SAFETY: `marshal_params` has passed a pointer to each parameter, whose bytes are initialised.
        unsafe { DecodedArgs::new(A::PARAMETERS, LoweredAs::Params(self.params)) }.visit(visit);
    }

    /// An error contains the arguments of a watched call. Otherwise no pointer to them is stored: 10 instructions less
    /// for 8 scalars.
    #[inline(always)]
    fn call<P: Path>(&self, stream: StreamHandle<'_>, _: Promise<'_>) -> Result<(), Error> {
        // SAFETY: `marshal_params` has passed a pointer to each parameter: a value of the field's device type. The
        // caller of `launch!` has promised that the function may be called with them.
        let returned = unsafe { A::call(self.params.as_ptr(), StreamArgument(stream.raw().cast())) };
        if returned.code == 0 {
            return Ok(());
        }
        let arguments = if P::IS_PLAIN { String::new() } else { text_of(&|visit| self.values(visit)) };
        Err(failed(A::LAUNCHER, returned, arguments))
    }
}

#[cold]
fn failed(launcher: &str, Returned { code, is_cuda }: Returned, arguments: String) -> Error {
    let name = is_cuda.then(|| runtime_name(code)).flatten();
    let lost = name.as_ref().and_then(|_| LostContext::new(Status(code.cast_unsigned()), Near::Nothing));
    Error::Launch(LaunchError::Launcher(Box::new(FailedLauncher {
        launcher: launcher.into(),
        code,
        name,
        arguments,
        lost,
    })))
}

/// What an event contains in addition to the values.
#[cfg_attr(not(feature = "observe"), expect(dead_code, reason = "only events contain it"))]
struct Call<'c> {
    stream: Option<&'c CudaStream>,
    context: Option<&'c Arc<CudaContext>>,
    is_recorded: bool,
    #[cfg(feature = "observe")]
    lengths: Option<Lengths>,
}

impl<'c> Call<'c> {
    #[inline(always)]
    fn of<A: LauncherArgs, P: Path>(
        args: &A,
        stream: Option<&'c CudaStream>,
        context: Option<&'c Arc<CudaContext>>,
    ) -> Self {
        #[cfg(feature = "observe")]
        let one = Dim3::new(1, 1, 1);
        let _ = args;
        Self {
            stream,
            context,
            is_recorded: false,
            #[cfg(feature = "observe")]
            lengths: (!P::IS_PLAIN && observe::is_active()).then(|| lengths(args, Geometry::new(one, one))),
        }
    }

    /// Calls `call`, as an event if something observes it.
    #[inline(always)]
    fn around<A: LauncherArgs>(
        &self,
        lowered: &Lowered<'_, A>,
        call: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        #[cfg(feature = "observe")]
        if let Some(lengths) = &self.lengths {
            let event = LauncherEvent {
                name: &name::<A>,
                handle: self.stream.map_or(StreamHandle::DEFAULT, Into::into),
                stream: self.stream,
                context: self.context,
                is_recorded: self.is_recorded,
                code: None,
                lengths,
                parameters: Some(A::PARAMETERS),
                values: &|visit| lowered.values(visit),
            };
            return observe::around(&Event::LauncherCall(&event), call);
        }
        let _ = (self, lowered);
        call()
    }
}
