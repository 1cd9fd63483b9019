//! Lowers arguments to the parameters of a kernel node.

use super::{
    attributes::check_attributes,
    explain::{ADDED, Action, UPDATED},
};
#[cfg(feature = "observe")]
use crate::{
    contract::Geometry,
    driver::{
        function::lengths,
        observe::pointers_are_checked,
        pointers::{self, KernelCode, PointerCheck, Runs},
    },
    marshal::Lengths,
};
use crate::{
    device::vector::Dim3,
    driver::{
        api::{CallError, DriverCall, KernelCall, KernelNodeParams, KernelNodeShape},
        config::{Attributes, Form, Launch},
        context::bind,
        error::{BoxedResult, Error},
        function::{AnyArguments, LoadedFunction, Names, check_contracts},
        launch::{self, Door},
        module::Kernel,
    },
    marshal::{KernelArgs, LaunchStream, text_of},
    memory::{ContextName, ForEachValue, OtherContext},
};
use core::ffi::c_void;
use cudarc::driver::{CudaContext, DriverError};

/// A kernel node that is added or updated.
///
/// `observe` sees the arguments before `set` passes them to the driver.
pub(super) struct NodeCall<'d, 'a, A: KernelArgs, B, O, S> {
    pub(super) kernel: &'a Kernel<A>,
    pub(super) args: &'d mut B,
    pub(super) launch: Launch<'a>,
    /// The node's cluster, in addition to a cluster that its kernel requires.
    pub(super) cluster: Option<Dim3>,
    pub(super) added: Option<Added<'a>>,
    /// The context that is current, if it is known.
    pub(super) bound: &'d mut *const c_void,
    pub(super) observe: O,
    pub(super) set: S,
}

#[derive(Clone, Copy)]
pub(super) struct Added<'a> {
    pub(super) context: &'a CudaContext,
    pub(super) attributes: Option<&'a Attributes<'a>>,
}

fn action(added: Option<Added<'_>>) -> Action {
    if added.is_some() { ADDED } else { UPDATED }
}

impl<'a, A, B, T, O, S> Door<'a> for NodeCall<'_, 'a, A, B, O, S>
where
    A: KernelArgs,
    B: KernelArgs<Erased = A::Erased>,
    O: FnOnce(&ForEachValue<'_>) -> Result<(), Error>,
    S: FnOnce(&KernelNodeParams<'_>) -> Result<T, CallError>,
{
    /// The shared memory too, which a contract can compute.
    type Output = (T, u32);

    #[inline(always)]
    fn place(&mut self) -> BoxedResult {
        if self.launch.stream.is_some() {
            return Err(action(self.added).stream_of_a_node(name_of(self.kernel.function())).into());
        }
        if self.launch.attributes.is_some() {
            return Err(action(self.added).attributes_of_an_update(name_of(self.kernel.function())).into());
        }
        Ok(())
    }

    #[inline(always)]
    fn contracts(&mut self) -> BoxedResult {
        let function = self.kernel.function();
        Ok(check_contracts(&*self.args, &mut self.launch, Some(function), true, || function.name.clone())?)
    }

    #[inline(always)]
    fn context(&mut self) -> BoxedResult {
        let function = self.kernel.function();
        match self.added {
            Some(Added { context, .. }) if context.cu_ctx() != function.context.cu_ctx() => {
                let [graph, loaded] = [context, &*function.context].map(ContextName::of);
                Err(ADDED.foreign_kernel(name_of(function), graph, loaded).into())
            }
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn stream(&self) -> LaunchStream<'a> {
        LaunchStream::in_context(self.kernel.function().context.cu_ctx())
    }

    #[inline(always)]
    fn arguments(&self, stream: &LaunchStream<'a>) -> BoxedResult {
        self.args.check_contexts(stream, 0);
        match stream.other_context() {
            Some(field) => Err(other_context::<A>(self.kernel.function(), field).into()),
            None => Ok(()),
        }
    }

    #[inline(always)]
    fn bind(&mut self, _: &LaunchStream<'a>) -> BoxedResult {
        let function = self.kernel.function();
        let context = function.context.cu_ctx().cast_const().cast();
        if *self.bound != context {
            bind(function.api, &function.context)?;
            *self.bound = context;
        }
        Ok(())
    }

    #[inline(always)]
    fn limits(&self) -> BoxedResult {
        Ok(self.kernel.function().check_with(&self.launch, self.cluster.is_some())?)
    }

    #[inline(always)]
    fn attributes(&self) -> BoxedResult {
        let function = self.kernel.function();
        match (self.added, self.cluster) {
            (Some(Added { attributes: Some(attributes), .. }), _) => {
                Ok(check_attributes(function, &self.launch, attributes)?)
            }
            (None, Some(cluster)) => {
                let limits = &function.attribute_limits;
                Ok(limits.check_grid(|| name_of(function), "the node's cluster", cluster, self.launch.grid)?)
            }
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn call(self, stream: &LaunchStream<'a>) -> BoxedResult<Self::Output> {
        let Self { kernel, args, launch, added, observe, set, .. } = self;
        let (function, fitting, shared) = (kernel.function(), kernel.fit(args), launch.shared);
        #[cfg(feature = "observe")]
        let checked = pointers_are_checked().then(|| {
            let geometry = function.attribute_limits.geometry(Geometry::new(launch.grid, launch.block));
            (function, lengths(fitting.args(), geometry))
        });
        // Packed takes 0.74 to 0.92 of the time of `kernelParams` for 8 parameters, and less for more parameters (H200,
        // CUDA 13.0, `tests/benches/`).
        let usual = if A::PARAMETERS.is_empty() { Form::KernelParams } else { Form::Packed };
        let form = fitting.args().form(launch.form.or(Some(usual)));
        let (grid, block) = (launch.grid, launch.block);
        let mut shape = KernelNodeShape::new([grid.x, grid.y, grid.z], [block.x, block.y, block.z], shared);
        let passed = Passed {
            stream,
            #[cfg(feature = "observe")]
            checked: checked.as_ref(),
            shape: &mut shape,
            observe,
            set,
        };
        let outcome = match form {
            Form::Packed => fitting.packed(stream, |call, values| passed.pass(call, &values.for_each())),
            Form::KernelParams => fitting.params(stream, |call, values| passed.pass(call, &values.for_each())),
        };
        // Otherwise the next call would report it.
        let recorded = stream.check();
        let set = outcome.map_err(|failure| match *failure {
            Failure::OtherContext(field) => other_context::<A>(function, field),
            Failure::Other(error) => error,
            Failure::Driver(call, arguments) => {
                action(added).rejected_node(name_of(function), call, [grid, block], shared, &arguments)
            }
        })?;
        recorded.map_err(|error| Error::cudarc("cuCtxGetCurrent, cuCtxSetCurrent or cuEventRecord", error))?;
        Ok((set, shared))
    }
}

enum Failure {
    /// The argument belongs to a different context, and reported it only when it was lowered.
    OtherContext(OtherContext),
    Other(Error),
    /// The driver's error, and the arguments as text, because they no longer exist when the error is created.
    Driver(DriverCall, String),
}

/// Runs inside the code that lowers the arguments. Its error is one word, which keeps that code small enough to be
/// inlined.
struct Passed<'a, 's, O, S> {
    stream: &'a LaunchStream<'s>,
    #[cfg(feature = "observe")]
    checked: Option<&'a NodePointers<'a>>,
    shape: &'a mut KernelNodeShape,
    observe: O,
    set: S,
}

impl<T, O, S> Passed<'_, '_, O, S>
where
    O: FnOnce(&ForEachValue<'_>) -> Result<(), Error>,
    S: FnOnce(&KernelNodeParams<'_>) -> Result<T, CallError>,
{
    #[inline(always)]
    fn pass(self, call: KernelCall<'_>, values: &ForEachValue<'_>) -> Result<T, Box<Failure>> {
        if let Some(field) = self.stream.other_context() {
            return Err(boxed(Failure::OtherContext(field)));
        }
        if let Err(error) = self.stream.check() {
            return Err(failed_wait(error));
        }
        #[cfg(feature = "observe")]
        if let Some(checked) = self.checked {
            check_pointers(checked, values).map_err(|error| boxed(Failure::Other(error)))?;
        }
        (self.observe)(values).map_err(|error| boxed(Failure::Other(error)))?;
        (self.set)(self.shape.of(call)).map_err(|error| rejected(error, values))
    }
}

#[cfg(feature = "observe")]
type NodePointers<'a> = (&'a LoadedFunction, Lengths);

#[cfg(feature = "observe")]
#[cold]
#[inline(never)]
fn check_pointers((function, lengths): &NodePointers<'_>, values: &ForEachValue<'_>) -> Result<(), Error> {
    let uses = function.pointer_uses.as_deref();
    pointers::check(&PointerCheck {
        api: function.api,
        kernel: &|| function.name.clone(),
        runs: Runs::Later,
        code: uses.map(|uses| uses as &dyn KernelCode),
        lengths,
        values,
    })
}

#[cold]
#[inline(never)]
fn boxed(failure: Failure) -> Box<Failure> {
    Box::new(failure)
}

#[cold]
#[inline(never)]
fn rejected(error: CallError, values: &ForEachValue<'_>) -> Box<Failure> {
    boxed(match error {
        CallError::Returned(call) => Failure::Driver(call, text_of(values)),
        CallError::Unavailable(unavailable) => Failure::Other(unavailable.into()),
    })
}

#[cold]
#[inline(never)]
fn other_context<A: KernelArgs>(function: &LoadedFunction, field: OtherContext) -> Error {
    let launch = ContextName::of(&function.context);
    launch::other_context(name_of(function), Names(Some(A::PARAMETERS)), OtherContext { launch, ..field })
}

/// Returns the kernel's name, for errors. Not inlined, so its callers stay small enough to be inlined.
#[cold]
#[inline(never)]
fn name_of(function: &LoadedFunction) -> String {
    function.name.clone()
}

#[cold]
#[inline(never)]
fn failed_wait(error: DriverError) -> Box<Failure> {
    let calls = "cuCtxGetCurrent, cuCtxSetCurrent or cuStreamWaitEvent, or an earlier call in this context,";
    boxed(Failure::Other(Error::cudarc(calls, error)))
}
