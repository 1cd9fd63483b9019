//! Launches in a sequence, which are recorded instead of enqueued.

use super::{call::check_attributes, explain};
#[cfg(feature = "observe")]
use crate::driver::observe::is_active;
use crate::{
    driver::{
        api::{KernelCall, LaunchLog, Promise, Shape, api},
        attributes::{Encoded, for_launches_only},
        config::{Form, Launch, Recording},
        error::{Error, LaunchError},
        function::{Arguments, Callee, Fitting, NameOf},
    },
    marshal::{ContextName, ForEachValue, Foreign, LaunchStream, NotHeld},
};
use kernel_args_abi::Parameter;

/// The function belongs to the context of the sequence's stream.
#[inline(never)]
pub(super) fn record<A: Arguments>(
    recording: &Recording,
    launch: Launch<'_>,
    fitting: Fitting<'_, A>,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let (held, callee, launch) = (&recording.held, fitting.callee(), &launch);
    check(recording, launch, callee)?;
    let stream = LaunchStream::in_sequence(held);
    let form = fitting.args().form(Some(Form::Packed));
    let record = Record { recording, launch, callee, parameters: A::parameters(), name_of: A::name_of };
    #[cfg(feature = "observe")]
    if is_active() {
        let on = recording.stream();
        let facts = super::observed::Facts {
            callee,
            launch,
            config: launch.config((&**on).into()),
            stream: Some(on),
            context: Some(on.context()),
            is_recorded: true,
        };
        let pass: &mut super::observed::LaunchLowered<'_> =
            &mut |call, promise, values| record.push(call, promise, values);
        return held.within(|| facts.lower(fitting, form, &stream, promise, pass));
    }
    held.within(|| match form {
        Form::Packed => A::packed(fitting, &stream, |call, values| record.push(call, promise, values)),
        Form::KernelParams => A::params(fitting, &stream, |call, values| record.push(call, promise, values)),
    })
}

fn check(recording: &Recording, launch: &Launch<'_>, callee: Callee<'_>) -> Result<(), Error> {
    let Some(attributes) = &launch.attributes else {
        return Ok(());
    };
    if attributes.device_updatable_node.is_some() {
        return Err(explain::device_node_in_sequence(callee.name()));
    }
    check_attributes(api()?, callee, launch.config((&**recording.stream()).into()), *attributes)?;
    if let Some(option) = for_launches_only(attributes) {
        recording.without_node.set(Some(option));
    }
    Ok(())
}

/// Its type does not depend on the arguments.
struct Record<'a> {
    recording: &'a Recording,
    launch: &'a Launch<'a>,
    callee: Callee<'a>,
    /// [`Arguments::parameters`] and [`Arguments::name_of`].
    parameters: Option<&'static [Parameter<'static>]>,
    name_of: NameOf,
}

impl Record<'_> {
    // Without optimisation, this is compiled once, not for each struct.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn push(&self, call: KernelCall<'_>, promise: Promise<'_>, values: &ForEachValue<'_>) -> Result<(), Error> {
        let Self { recording, launch, callee, .. } = *self;
        if recording.held.is_not_held() {
            return Err(self.not_held());
        }
        let Launch { grid, block, shared, shared_given, .. } = *launch;
        let shape = Shape { grid: [grid.x, grid.y, grid.z], block: [block.x, block.y, block.z], shared, shared_given };
        let (keeper, check) = (|| callee.keeper(), || callee.check(launch));
        let mut log = recording.log.borrow_mut();
        let bytes = |visit: &mut dyn FnMut(&[u8])| values(&mut |_, bytes| visit(bytes));
        match &launch.attributes {
            None => log.push(&shape, &[], call, bytes, keeper, check, promise),
            Some(attributes) => {
                let encoded = Encoded::new(attributes);
                log.push(&shape, encoded.all(), call, bytes, keeper, check, promise)
            }
        }?;
        if recording.held.notes_uses {
            self.note_uses(&log, values);
        }
        Ok(())
    }

    #[cold]
    fn not_held(&self) -> Error {
        let (kernel, not_held) = (self.callee.name(), self.recording.held.take_not_held());
        if let Some(NotHeld { field, foreign: Some(argument), .. }) = not_held {
            let launch = ContextName::of(self.recording.stream().context());
            return explain::foreign(kernel, self.name_of, Foreign { field, argument, launch });
        }
        let field = not_held.and_then(|not_held| (self.name_of)(not_held.field));
        let replaces = not_held.and_then(|not_held| not_held.replaces);
        Error::Launch(LaunchError::NotHeld { kernel, field: field.unwrap_or_default(), replaces })
    }

    fn note_uses(&self, log: &LaunchLog, values: &ForEachValue<'_>) {
        let mut uses = self.recording.uses.borrow_mut();
        self.recording.held.take_used(|slices, objects| {
            uses.add_launch(slices, objects, self.parameters, log.is_last_repeated(), values);
        });
    }
}
