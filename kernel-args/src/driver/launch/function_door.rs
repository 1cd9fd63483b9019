//! Launches of kernels and functions.

use super::{
    call::LaunchCall,
    explain::{other_context, other_context_stream, own_stream, own_unbound},
    prepare::{Door, Path},
};
#[cfg(feature = "graphs")]
use crate::driver::run::Entered;
use crate::{
    driver::{
        api::{Api, LaunchConfig, Promise, StreamHandle},
        attributes::{self, AttributeCheck, AttributeLimits},
        config::{Attributes, Launch},
        context::{bind, bind_function, named},
        error::{BoxedResult, ContextError, Error},
        function::{Arguments, Callee, Fitting, Names},
    },
    marshal::LaunchStream,
    memory::{ContextName, OtherContext},
};
use core::{marker::PhantomData, ptr};
use cudarc::driver::sys::CUcontext;
use std::sync::Arc;

/// `fit` pairs the function with the arguments.
pub(crate) struct FunctionDoor<'d, 'l, A: ?Sized, F, P> {
    own: Untyped<'d, 'l>,
    args: &'d mut A,
    fit: F,
    path: PhantomData<P>,
}

/// What does not depend on the types of the arguments. Without optimisation its functions are compiled once, not for
/// each struct.
struct Untyped<'d, 'l> {
    /// A loaded function has it too: this value would be stored meanwhile.
    api: &'static Api,
    callee: Callee<'l>,
    launch: Launch<'l>,
    promise: Promise<'d>,
    /// The context of the launch; null if the arguments decide. Until it is checked, the one in which this thread has
    /// verified a raw function.
    context: CUcontext,
    #[cfg(feature = "graphs")]
    entered: Option<Entered<'l>>,
}

/// What the checks have found.
pub(crate) struct Checked<'c, 'd> {
    pub(super) api: &'static Api,
    pub(super) promise: &'c Promise<'d>,
    pub(super) context: CUcontext,
    /// The dynamic shared memory, which a contract can compute.
    #[cfg_attr(not(feature = "graphs"), expect(dead_code, reason = "a node stores it"))]
    pub(crate) shared: u32,
}

impl<'d, 'l, A: Arguments + ?Sized, F, P> FunctionDoor<'d, 'l, A, F, P>
where
    F: FnOnce(&'d mut A, &Checked<'_, 'd>) -> BoxedResult<Fitting<'d, A>>,
{
    #[inline(always)]
    pub(crate) fn new(
        callee: Callee<'l>,
        launch: Launch<'l>,
        args: &'d mut A,
        fit: F,
        promise: Promise<'d>,
    ) -> BoxedResult<Self> {
        Ok(Self { own: Untyped::new(callee, launch, promise)?, args, fit, path: PhantomData })
    }

    /// This thread has verified the raw function in `context`.
    #[inline(always)]
    pub(crate) fn verified_in(mut self, context: CUcontext) -> Self {
        self.own.context = context;
        self
    }
}

impl<'d, 'l> Untyped<'d, 'l> {
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(callee: Callee<'l>, launch: Launch<'l>, promise: Promise<'d>) -> BoxedResult<Self> {
        Ok(Self {
            api: callee.api()?,
            callee,
            launch,
            promise,
            context: ptr::null_mut(),
            #[cfg(feature = "graphs")]
            entered: None,
        })
    }

    /// The context is current, unless it is null.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bind_raw(&mut self) -> BoxedResult {
        let stream = self.launch.stream;
        self.context = match (self.callee, stream) {
            // The query of a function's context is slow. If the handle was reused for a function of a different context
            // and the stream is wrong too, the driver reports the error.
            (Callee::Cudarc(_), Some(stream)) if self.context == stream.context().cu_ctx() => {
                bind(self.api, stream.context())?;
                stream.context().cu_ctx()
            }
            (Callee::Cudarc(function), stream) => {
                let context = bind_function(function)?;
                if let Some(stream) = stream {
                    if stream.context().cu_ctx() != context {
                        return Err(other_context_stream(self.callee.name(), named(context), stream).into());
                    }
                    stream.context().check_err().map_err(Error::context)?;
                }
                context
            }
            (_, Some(stream)) => {
                bind(self.api, stream.context())?;
                stream.context().cu_ctx()
            }
            (_, None) => self.api.current()?,
        };
        Ok(())
    }

    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn context(&mut self) -> BoxedResult {
        let Callee::Function(owner) = self.callee else {
            return self.bind_raw();
        };
        let (function, context) = (owner.loaded(), owner.context());
        let stream = self.launch.stream.unwrap_or(&function.default_stream);
        if !Arc::ptr_eq(stream.context(), context) && stream.context() != context {
            return Err(own_stream(function, stream));
        }
        self.launch.stream = Some(stream);
        Ok(())
    }

    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn stream(&self, is_node: bool) -> LaunchStream<'l> {
        if is_node && let Some(function) = self.callee.loaded() {
            return LaunchStream::in_context(function.context.cu_ctx());
        }
        match self.launch.stream {
            Some(stream) => LaunchStream::on(stream),
            None => LaunchStream::in_context(self.context),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn own_context(&self) -> CUcontext {
        if self.launch.stream.is_none() { self.context } else { ptr::null_mut() }
    }

    /// Without a context so far, the launch is in the context of its arguments.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bind_arguments(&self, stream: &LaunchStream<'l>) -> BoxedResult {
        if self.callee.loaded().is_none() && self.context.is_null() {
            return bind_first(stream, self.callee);
        }
        Ok(())
    }

    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bind(&self) -> BoxedResult {
        match self.callee.loaded() {
            Some(function) => bind(function.api, &function.context).map_err(|error| own_unbound(function, error)),
            // Its context was needed before.
            None => Ok(()),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn attributes(&self) -> BoxedResult {
        match self.launch.attributes {
            None => Ok(()),
            Some(attributes) => {
                let stream = self.launch.stream.map_or(StreamHandle::DEFAULT, Into::into);
                check_attributes(self.api, self.callee, self.launch.config(stream), attributes)
            }
        }
    }
}

impl<'d, 'l, A: Arguments + ?Sized, F, P: Path> Door<'l> for FunctionDoor<'d, 'l, A, F, P>
where
    F: FnOnce(&'d mut A, &Checked<'_, 'd>) -> BoxedResult<Fitting<'d, A>>,
{
    type Output = ();

    #[inline(always)]
    fn place(&mut self) -> BoxedResult {
        #[cfg(feature = "graphs")]
        if P::CAN_RECORD {
            let Untyped { callee, launch, entered, .. } = &mut self.own;
            match launch.recording {
                Some(run) => *entered = Some(super::record::enter(run, launch, *callee)?),
                None if P::IS_RECORDED => unreachable!("the launch names a recorder"),
                None => {
                    let args = &*self.args;
                    super::capturing::check_place(
                        launch.stream,
                        &|stream| args.report_contexts(stream),
                        args.names(),
                        &|| format!("kernel `{}`", callee.name()),
                    )?;
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn contracts(&mut self) -> BoxedResult {
        Ok(self.args.check_contracts(&mut self.own.launch, self.own.callee)?)
    }

    #[inline(always)]
    fn context(&mut self) -> BoxedResult {
        self.own.context()
    }

    #[inline(always)]
    fn stream(&self) -> LaunchStream<'l> {
        self.own.stream(P::IS_NODE)
    }

    #[inline(always)]
    fn is_deferred(&self) -> bool {
        #[cfg(feature = "graphs")]
        return P::CAN_RECORD && self.own.entered.is_some() && self.own.launch.attributes.is_none();
        #[cfg(not(feature = "graphs"))]
        false
    }

    #[inline(always)]
    fn arguments(&self, stream: &LaunchStream<'l>) -> BoxedResult {
        self.args.report_contexts(stream);
        if const { A::HAS_POINTERS } {
            if stream.may_have_other_context() {
                elsewhere_on(stream, self.own.callee, self.own.own_context(), self.args.names())?;
            }
        } else if let Some(field) = stream.other_context() {
            return Err(elsewhere(field, self.own.callee, self.own.own_context(), self.args.names()));
        }
        self.own.bind_arguments(stream)
    }

    #[inline(always)]
    fn limits(&self) -> BoxedResult {
        Ok(self.own.callee.check(&self.own.launch)?)
    }

    #[inline(always)]
    fn bind(&mut self, _: &LaunchStream<'l>) -> BoxedResult {
        self.own.bind()
    }

    #[inline(always)]
    fn attributes(&self) -> BoxedResult {
        self.own.attributes()
    }

    #[inline(always)]
    fn call(self, stream: &LaunchStream<'l>) -> BoxedResult {
        let Untyped { callee, launch, promise, context, .. } = self.own;
        let api = callee.loaded().map_or(self.own.api, |function| function.api);
        let fitting = (self.fit)(self.args, &Checked { api, promise: &promise, context, shared: launch.shared })?;
        #[cfg(feature = "graphs")]
        if P::CAN_RECORD {
            if let (Some(entered), Some(run)) = (self.own.entered, launch.recording) {
                return super::record::record::<_, P>(run, &entered, launch, fitting, promise);
            }
            // What follows is then not compiled for each struct.
            if P::IS_RECORDED {
                unreachable!("the launch is in a run");
            }
        }
        LaunchCall { api, callee, launch, launch_stream: stream }.run::<F, _, P>(fitting, promise)
    }
}

/// An argument belongs to a different context than the launch, whose context is `own` if it has no stream.
///
/// It gets no reference to the `Launch` or its stream, which would then be kept in memory.
#[cold]
#[inline(never)]
fn elsewhere(field: OtherContext, callee: Callee<'_>, own: CUcontext, names: Names) -> Box<Error> {
    let launch = match callee.loaded() {
        Some(function) => ContextName::of(&function.context),
        None if !own.is_null() => named(own),
        // The context of the stream or of the first argument.
        None => field.launch,
    };
    other_context(callee.name(), names, OtherContext { launch, ..field }).into()
}

#[cold]
#[inline(never)]
fn elsewhere_on(stream: &LaunchStream<'_>, callee: Callee<'_>, own: CUcontext, names: Names) -> BoxedResult {
    stream.other_context().map_or(Ok(()), |field| Err(elsewhere(field, callee, own, names)))
}

/// No context is current: the launch is in the context of its first argument.
#[inline(always)]
fn bind_first(stream: &LaunchStream<'_>, callee: Callee<'_>) -> BoxedResult {
    match stream.context() {
        Some(context) => Ok(context.bind_to_thread().map_err(Error::context)?),
        None => Err(Error::Context(ContextError::NoCurrent { kernel: callee.name() }).into()),
    }
}

#[cold]
fn check_attributes(
    api: &'static Api,
    callee: Callee<'_>,
    config: LaunchConfig<'_>,
    attributes: Attributes<'_>,
) -> BoxedResult {
    let function = callee.handle();
    let queried;
    let limits = if let Some(loaded) = callee.loaded() {
        &loaded.attribute_limits
    } else {
        queried = AttributeLimits::of_raw(function)?;
        &queried
    };
    let name = &|| callee.name();
    let check = AttributeCheck { api, function, config, attributes: &attributes, limits, is_node: false, name };
    Ok(attributes::check(&check)?)
}
