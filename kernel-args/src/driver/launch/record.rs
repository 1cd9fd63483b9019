//! Launches in a sequence, which are recorded instead of enqueued.

use super::{explain, prepare::Path};
use crate::{
    driver::{
        api::{KernelCall, LaunchAttribute, LaunchLog, Promise, Shape},
        attributes::{Encoded, for_launches_only},
        config::{Attributes, Form, Launch},
        error::{Error, RunError},
        function::{Arguments, Callee, Fitting, Names},
        run::{Entered, NotRecording, Recording, RunRecord},
    },
    marshal::LaunchStream,
    memory::{ContextName, ForEachValue, OtherContext},
};

/// Enters the run of the launch, and stays in it until the launch is recorded.
#[inline(always)]
pub(super) fn enter<'r>(run: &'r RunRecord, launch: &Launch<'_>, callee: Callee<'_>) -> Result<Entered<'r>, Error> {
    let entered = run.enter().map_err(|why| not_recorded(callee, why))?;
    match &launch.attributes {
        Some(attributes) if attributes.device_updatable_node.is_some() => {
            Err(explain::device_node_in_sequence(callee.name()))
        }
        _ => Ok(entered),
    }
}

#[inline(never)]
pub(super) fn record<A: Arguments + ?Sized, P: Path>(
    run: &RunRecord,
    recording: &Entered<'_>,
    launch: Launch<'_>,
    fitting: Fitting<'_, A>,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let held = &recording.held;
    let stream = LaunchStream::in_sequence(held);
    let form = fitting.args().form(Some(Form::Packed));
    let record = Record::new(run, recording, &launch, &fitting);
    #[cfg(feature = "observe")]
    if P::IS_WATCHED {
        let on = held.stream();
        let facts = super::observed::Facts {
            callee: record.callee,
            launch: &launch,
            config: launch.config((&**on).into()),
            stream: Some(on),
            context: Some(on.context()),
            is_recorded: true,
        };
        let pass: &mut super::observed::LaunchLowered<'_> =
            &mut |call, promise, values| record.push(call, promise, values);
        return held.within(|| facts.lower(fitting, form, &stream, promise, pass));
    }
    if const { A::HAS_PACKED } {
        // Without optimisation, the other form is then not compiled for each struct.
        return held.within(|| fitting.packed(&stream, |call, values| record.push(call, promise, &values.for_each())));
    }
    held.within(|| match form {
        Form::Packed => fitting.packed(&stream, |call, values| record.push(call, promise, &values.for_each())),
        Form::KernelParams => fitting.params(&stream, |call, values| record.push(call, promise, &values.for_each())),
    })
}

#[cold]
fn not_recorded(callee: Callee<'_>, why: NotRecording) -> Error {
    explain::not_recording(format!("kernel `{}`", callee.name()), why)
}

/// Its type does not depend on the arguments.
struct Record<'a> {
    run: &'a RunRecord,
    entered: &'a Entered<'a>,
    launch: &'a Launch<'a>,
    callee: Callee<'a>,
    names: Names,
}

impl<'a> Record<'a> {
    #[inline(always)]
    fn new<A: Arguments + ?Sized>(
        run: &'a RunRecord,
        entered: &'a Entered<'a>,
        launch: &'a Launch<'a>,
        fitting: &Fitting<'a, A>,
    ) -> Self {
        if let Some(option) = launch.attributes.as_ref().and_then(for_launches_only) {
            entered.without_node.set(Some(option));
        }
        Self { run, entered, launch, callee: fitting.callee(), names: fitting.args().names() }
    }

    // Without optimisation, this is compiled once, not for each struct.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn push(&self, call: KernelCall<'_>, promise: Promise<'_>, values: &ForEachValue<'_>) -> Result<(), Error> {
        let Self { entered, launch, callee, .. } = *self;
        let recording = &**entered;
        if recording.held.is_not_held() {
            return Err(not_held(recording, callee.name(), self.names));
        }
        let Launch { grid, block, shared, shared_given, .. } = *launch;
        let shape = Shape { grid: [grid.x, grid.y, grid.z], block: [block.x, block.y, block.z], shared, shared_given };
        let mut log = recording.log.borrow_mut();
        match &launch.attributes {
            None => self.add(&mut log, &shape, &[], call, promise, values),
            Some(attributes) => self.add_with(attributes, &mut log, &shape, call, promise, values),
        }?;
        if recording.is_watched.get() {
            let is_repeated = log.is_last_repeated();
            drop(log);
            self.end_step(is_repeated, values);
        }
        Ok(())
    }

    #[inline(always)]
    fn add(
        &self,
        log: &mut LaunchLog,
        shape: &Shape,
        attributes: &[LaunchAttribute<'_>],
        call: KernelCall<'_>,
        promise: Promise<'_>,
        values: &ForEachValue<'_>,
    ) -> Result<(), Error> {
        let Self { launch, callee, .. } = *self;
        let bytes = |visit: &mut dyn FnMut(&[u8])| values(&mut |_, bytes| visit(bytes));
        log.push(shape, attributes, call, bytes, || callee.keeper(), || callee.check(launch), promise)
    }

    /// Compiled once, not for each struct.
    #[inline(never)]
    fn add_with(
        &self,
        attributes: &Attributes<'_>,
        log: &mut LaunchLog,
        shape: &Shape,
        call: KernelCall<'_>,
        promise: Promise<'_>,
        values: &ForEachValue<'_>,
    ) -> Result<(), Error> {
        self.add(log, shape, Encoded::new(attributes).all(), call, promise, values)
    }

    #[inline(never)]
    fn end_step(&self, is_repeated: bool, values: &ForEachValue<'_>) {
        let Self { run, entered, callee, names, .. } = *self;
        if entered.held.notes_uses.get() {
            entered.held.steps.borrow_mut().add_launch(names.0, is_repeated, || callee.addresses(), values);
        }
        run.end_step(entered);
    }
}

/// An argument uses memory that the run does not hold.
#[cold]
pub(crate) fn not_held(recording: &Recording, kernel: String, names: Names) -> Error {
    let (mut replaces, mut field) = (None, None);
    if let Some(not_held) = recording.held.take_not_held() {
        if let Some(argument) = not_held.other_context {
            let launch = ContextName::of(recording.held.stream().context());
            return explain::other_context(kernel, names, OtherContext { field: not_held.field, argument, launch });
        }
        (replaces, field) = (not_held.replaces, names.get(not_held.field));
    }
    Error::Run(RunError::NotHeld { kernel, field: field.unwrap_or_default(), replaces })
}
