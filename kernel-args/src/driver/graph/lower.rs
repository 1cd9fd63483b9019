//! Lowers arguments to the parameters of a kernel node.

use super::explain::Action;
#[cfg(feature = "observe")]
use crate::{
    contract::Geometry,
    driver::{
        observe::pointers_are_checked,
        pointers::{self, KernelCode, PointerCheck, Runs},
    },
    marshal::Lengths,
};
use crate::{
    device::vector::Dim3,
    driver::{
        api::{CallError, DriverCall, KernelCall, KernelNodeParams, KernelNodeShape},
        attributes::{divides, grid_of_clusters},
        config::{Form, Launch},
        context::bind,
        error::Error,
        function::{Arguments, Fitting, LoadedFunction, Names},
        launch::other_context_in,
    },
    marshal::{KernelArgs, LaunchStream, text_of},
    memory::{ForEachValue, OtherContext},
};
use core::ffi::c_void;
use cudarc::driver::DriverError;

/// A kernel node that is added or updated.
///
/// `observe` sees the arguments before `set` passes them to the driver.
pub(super) struct NodeCall<'a, O, S> {
    pub(super) function: &'a LoadedFunction,
    pub(super) launch: Launch<'a>,
    /// The node's cluster, in addition to a cluster that its kernel requires.
    pub(super) cluster: Option<Dim3>,
    pub(super) action: Action,
    pub(super) observe: O,
    pub(super) set: S,
}

impl<T, O, S> NodeCall<'_, O, S>
where
    O: FnOnce(&ForEachValue<'_>) -> Result<(), Error>,
    S: FnOnce(&KernelNodeParams<'_>) -> Result<T, CallError>,
{
    /// Checks the launch and the arguments, makes the function's context current if it differs from `bound`, and calls
    /// `set`.
    ///
    /// A graph cannot contain the waits for slices and the records of their use: both are on the default stream of
    /// their context.
    #[inline(always)]
    pub(super) fn with<A: KernelArgs>(self, fitting: Fitting<'_, A>, bound: &mut *const c_void) -> Result<T, Error> {
        let Self { function, launch, .. } = &self;
        if launch.stream.is_some() {
            return Err(self.action.stream_of_a_node(name_of(function)));
        }
        if launch.attributes.is_some() {
            return Err(self.action.attributes_of_an_update(name_of(function)));
        }
        function.check_with(launch, self.cluster.is_some())?;
        if let Some(cluster) = self.cluster {
            check_cluster(function, cluster, launch.grid)?;
        }
        let context = function.context.cu_ctx();
        let stream = LaunchStream::in_context(context);
        fitting.args().report_contexts(&stream);
        if let Some(field) = stream.other_context() {
            return Err(other_context::<A>(function, field));
        }
        if *bound != context.cast_const().cast() {
            bind(function.api, &function.context)?;
            *bound = context.cast_const().cast();
        }
        #[cfg(feature = "observe")]
        let checked = pointers_are_checked().then(|| {
            let geometry = Geometry::new(function.blocks(launch.grid), launch.block);
            (*function, fitting.args().lengths(geometry))
        });
        let outcome = self.lower(
            fitting,
            &stream,
            #[cfg(feature = "observe")]
            checked.as_ref(),
        );
        // Otherwise the next call would report it.
        let recorded = stream.check();
        let set = outcome?;
        match recorded {
            Ok(()) => Ok(set),
            Err(error) => Err(Error::cudarc("cuCtxGetCurrent, cuCtxSetCurrent or cuEventRecord", error)),
        }
    }

    #[inline(always)]
    fn lower<A: KernelArgs>(
        self,
        fitting: Fitting<'_, A>,
        stream: &LaunchStream<'_>,
        #[cfg(feature = "observe")] checked: Option<&NodePointers<'_>>,
    ) -> Result<T, Error> {
        let Self { function, launch, action, observe, set, .. } = self;
        // Packed takes 0.74 to 0.92 of the time of `kernelParams` for 8 parameters, and less for more parameters (H200,
        // CUDA 13.0, `tests/benches/`).
        let usual = if A::PARAMETERS.is_empty() { Form::KernelParams } else { Form::Packed };
        let form = fitting.args().form(launch.form.or(Some(usual)));
        let (grid, block, shared) = (launch.grid, launch.block, launch.shared);
        let mut shape = KernelNodeShape::new([grid.x, grid.y, grid.z], [block.x, block.y, block.z], shared);
        let passed = Passed {
            stream,
            #[cfg(feature = "observe")]
            checked,
            shape: &mut shape,
            observe,
            set,
        };
        let outcome = match form {
            Form::Packed => fitting.packed(stream, |call, values| passed.pass(call, values)),
            Form::KernelParams => fitting.params(stream, |call, values| passed.pass(call, values)),
        };
        match outcome {
            Ok(set) => Ok(set),
            Err(failure) => Err(match *failure {
                Failure::OtherContext(field) => other_context::<A>(function, field),
                Failure::Other(error) => error,
                Failure::Driver(call, arguments) => {
                    action.rejected_node(name_of(function), call, [grid, block], shared, &arguments)
                }
            }),
        }
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
#[expect(clippy::unnecessary_box_returns, reason = "one word, made out of line")]
fn rejected(error: CallError, values: &ForEachValue<'_>) -> Box<Failure> {
    boxed(match error {
        CallError::Returned(call) => Failure::Driver(call, text_of(values)),
        CallError::Unavailable(unavailable) => Failure::Other(unavailable.into()),
    })
}

#[cold]
#[inline(never)]
fn other_context<A: KernelArgs>(function: &LoadedFunction, field: OtherContext) -> Error {
    other_context_in(name_of(function), &function.context, Names(Some(A::PARAMETERS)), field)
}

/// The kernel's name, for errors. Not inlined, so its callers stay small enough to be inlined.
#[cold]
#[inline(never)]
fn name_of(function: &LoadedFunction) -> String {
    function.name.clone()
}

#[cold]
fn check_cluster(function: &LoadedFunction, cluster: Dim3, grid: Dim3) -> Result<(), Error> {
    if function.attribute_limits.directives.blocks_are_clusters || divides(cluster, grid) {
        return Ok(());
    }
    let name = name_of(function);
    Err(grid_of_clusters(name, "the node's cluster", cluster, grid))
}

#[cold]
#[inline(never)]
#[expect(clippy::unnecessary_box_returns, reason = "one word, made out of line")]
fn failed_wait(error: DriverError) -> Box<Failure> {
    let calls = "cuCtxGetCurrent, cuCtxSetCurrent or cuStreamWaitEvent, or an earlier call in this context,";
    boxed(Failure::Other(Error::cudarc(calls, error)))
}
