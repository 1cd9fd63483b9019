//! Launches in a sequence, which are recorded instead of enqueued.
//!
//! No reference to a `Launch` reaches a function that is not inlined, as in [`call`](super::call).

#[cfg(feature = "observe")]
use super::observed::Facts;
use super::{call::check_attributes, explain};
#[cfg(feature = "observe")]
use crate::driver::observe;
use crate::{
    driver::{
        api::{FunctionHandle, KernelCall, LaunchConfig, LaunchKeeper, LaunchLog, Promise, Shape, api},
        attributes::{Encoded, for_launches_only},
        config::{Attributes, Form, Launch, Recording},
        error::{Error, LaunchError},
        function::{Function, LoadedFunction, Lower, NameOf, Pass},
    },
    marshal::{ContextName, ForEachValue, Foreign, LaunchStream, NotHeld},
};
use kernel_args_abi::Parameter;
use std::string::String;

/// The function of a recorded launch, which belongs to the context of the sequence's stream.
pub(super) trait Callee: Copy {
    /// The function's name, for errors.
    fn name(self) -> String;

    /// What keeps the function loaded.
    fn keeper(self) -> LaunchKeeper;

    /// Checks a launch against the limits of the function.
    fn check(self, launch: &Launch<'_>) -> Result<(), Error>;

    /// The loaded function; `None` for a raw function.
    fn loaded(&self) -> Option<&LoadedFunction>;
}

impl Callee for &Function {
    fn name(self) -> String {
        Function::loaded(self).name.clone()
    }

    fn keeper(self) -> LaunchKeeper {
        Function::keeper(self)
    }

    #[inline]
    fn check(self, launch: &Launch<'_>) -> Result<(), Error> {
        Function::loaded(self).check(launch)
    }

    fn loaded(&self) -> Option<&LoadedFunction> {
        Some(Function::loaded(self))
    }
}

/// Checks the attributes, lowers the arguments, and records the launch.
#[inline(always)]
pub(super) fn record<A: Lower>(
    recording: &Recording,
    callee: impl Callee,
    launch: &Launch<'_>,
    fitting: A,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let Launch { grid, block, shared, shared_given, attributes, .. } = *launch;
    let shape = Shape { grid: [grid.x, grid.y, grid.z], block: [block.x, block.y, block.z], shared, shared_given };
    let Some(attributes) = attributes else {
        return lower(recording, callee, &shape, None, fitting, promise);
    };
    check_recorded(recording, callee, &shape, &attributes, fitting.function())?;
    lower(recording, callee, &shape, Some(&attributes), fitting, promise)
}

/// Checks a launch with attributes. It is compiled once, not for each struct.
#[cold]
fn check_recorded(
    recording: &Recording,
    callee: impl Callee,
    shape: &Shape,
    attributes: &Attributes<'_>,
    function: FunctionHandle<'_>,
) -> Result<(), Error> {
    if attributes.device_updatable_node.is_some() {
        return Err(explain::device_node_in_sequence(callee.name()));
    }
    let stream = (&**recording.stream()).into();
    let config = LaunchConfig::new(shape.grid, shape.block, shape.shared, stream);
    let limits = callee.loaded().map(|loaded| &loaded.attribute_limits);
    let name = || callee.name();
    check_attributes(api()?, function, config, *attributes, limits, &name)?;
    if let Some(option) = for_launches_only(attributes) {
        recording.without_node.set(Some(option));
    }
    Ok(())
}

#[inline(never)]
fn lower<A: Lower>(
    recording: &Recording,
    callee: impl Callee,
    shape: &Shape,
    attributes: Option<&Attributes<'_>>,
    fitting: A,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let held = &recording.held;
    let stream = LaunchStream::in_sequence(held);
    let pass =
        Record { recording, callee, shape, attributes, promise, parameters: A::parameters(), name_of: A::name_of };
    #[cfg(feature = "observe")]
    if observe::is_active() {
        let launch =
            Launch { shared: shape.shared, attributes: attributes.copied(), ..Launch::new(shape.grid, shape.block) };
        let on = recording.stream();
        let config = LaunchConfig::new(shape.grid, shape.block, shape.shared, (&**on).into());
        let facts = Facts {
            launch: &launch,
            config,
            stream: Some(on),
            context: Some(on.context()),
            kernel: callee.loaded(),
            name: &|| callee.name(),
            is_recorded: true,
        };
        return held.within(|| facts.lower(fitting, Form::Packed, &stream, pass));
    }
    // With a layout that depends on the GPU, this is `kernelParams`.
    held.within(|| fitting.lower(Form::Packed, &stream, pass))
}

/// Its type does not depend on the arguments.
struct Record<'a, 'p, C> {
    recording: &'a Recording,
    callee: C,
    shape: &'a Shape,
    attributes: Option<&'a Attributes<'a>>,
    promise: Promise<'p>,
    /// Same as [`Lower::parameters`].
    parameters: Option<&'static [Parameter<'static>]>,
    /// Same as [`Lower::name_of`].
    name_of: NameOf,
}

impl<C: Callee> Pass for Record<'_, '_, C> {
    type Output = Result<(), Error>;

    // Without optimisation, this is compiled once, not for each struct.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pass<const PACKED: bool>(
        self,
        call: KernelCall<'_, PACKED>,
        _: &dyn Fn() -> String,
        values: &ForEachValue<'_>,
    ) -> Result<(), Error> {
        let Self { recording, callee, shape, attributes, promise, parameters, name_of } = self;
        if recording.held.is_not_held() {
            return Err(not_held(recording, callee, name_of));
        }
        let keeper = || callee.keeper();
        let check = || check(callee, shape, attributes);
        let mut log = recording.log.borrow_mut();
        let bytes = |visit: &mut dyn FnMut(&[u8])| values(&mut |_, bytes| visit(bytes));
        match attributes {
            None => log.push(shape, &[], call, bytes, keeper, check, promise),
            Some(attributes) => {
                let encoded = Encoded::new(attributes);
                log.push(shape, encoded.all(), call, bytes, keeper, check, promise)
            }
        }?;
        if recording.held.notes_uses {
            note_uses(recording, &log, parameters, values);
        }
        Ok(())
    }
}

/// The error of a launch whose memory is not held.
#[cold]
fn not_held(recording: &Recording, callee: impl Callee, name_of: NameOf) -> Error {
    let not_held = recording.held.take_not_held();
    if let Some(NotHeld { field, foreign: Some(argument), .. }) = not_held {
        let launch = ContextName::of(recording.stream().context());
        return explain::foreign(callee.name(), name_of, Foreign { field, argument, launch });
    }
    let field = not_held.and_then(|not_held| name_of(not_held.field));
    let replaces = not_held.and_then(|not_held| not_held.replaces);
    Error::Launch(LaunchError::NotHeld { kernel: callee.name(), field: field.unwrap_or_default(), replaces })
}

/// Notes which memory the recorded launch uses. It is not generic, so it is compiled once, not for each struct.
fn note_uses(
    recording: &Recording,
    log: &LaunchLog,
    parameters: Option<&'static [Parameter<'static>]>,
    values: &ForEachValue<'_>,
) {
    let mut uses = recording.uses.borrow_mut();
    recording.held.take_used(|slices, objects| {
        uses.add_launch(slices, objects, parameters, log.is_last_repeated(), values);
    });
}

#[cold]
fn check(callee: impl Callee, shape: &Shape, attributes: Option<&Attributes<'_>>) -> Result<(), Error> {
    callee.check(&Launch {
        shared: shape.shared,
        shared_given: shape.shared_given,
        attributes: attributes.copied(),
        ..Launch::new(shape.grid, shape.block)
    })
}
