//! Launches in a sequence, which are recorded instead of enqueued.

use super::{explain, prepare::Path};
use crate::{
    driver::{
        api::{KernelCall, Promise, Shape},
        attributes::{Encoded, for_launches_only},
        config::{Form, Launch},
        error::{BoxedResult, Error, RunError},
        function::{Arguments, Callee, Fitting, Names},
        run::{Entered, NotRecording, Recording, RunRecord},
    },
    marshal::LaunchStream,
    memory::{ContextName, ForEachValue, OtherContext},
};

/// Enters the run of the launch, and stays in it until the launch is recorded.
#[inline(always)]
pub(super) fn enter<'r>(run: &'r RunRecord, launch: &Launch<'_>, callee: Callee<'_>) -> BoxedResult<Entered<'r>> {
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
) -> BoxedResult {
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
            &mut |call, promise, values| record.push(call, promise, values).map_err(|error| *error);
        return held.within(|| facts.lower(fitting, form, &stream, promise, pass)).map_err(Box::new);
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
fn not_recorded(callee: Callee<'_>, why: NotRecording) -> Box<Error> {
    explain::not_recording(format!("kernel `{}`", callee.name()), why).into()
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

    // Without optimisation, this is compiled once.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn push(&self, call: KernelCall<'_>, promise: Promise<'_>, values: &ForEachValue<'_>) -> BoxedResult {
        let recording = &**self.entered;
        if self.launch.attributes.is_none()
            && !recording.held.is_not_held()
            && recording.log.borrow_mut().repeats_launch(&self.shape(), &call, &promise)
        {
            self.end_step(values);
            return Ok(());
        }
        self.push_new(call, promise, values)
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        let Launch { grid, block, shared, shared_given, .. } = *self.launch;
        Shape { grid: [grid.x, grid.y, grid.z], block: [block.x, block.y, block.z], shared, shared_given }
    }

    /// Compiled once, not for each struct.
    #[inline(never)]
    fn push_new(&self, call: KernelCall<'_>, promise: Promise<'_>, values: &ForEachValue<'_>) -> BoxedResult {
        let Self { entered, launch, callee, names, .. } = *self;
        let recording = &**entered;
        if recording.held.is_not_held() {
            return Err(not_held(recording, callee.name(), names).into());
        }
        let mut log = recording.log.borrow_mut();
        let encoded = launch.attributes.as_ref().map(Encoded::new);
        let attributes = encoded.as_ref().map_or(&[][..], Encoded::all);
        let bytes = |visit: &mut dyn FnMut(&[u8])| values(&mut |_, bytes| visit(bytes));
        let check = || callee.check(launch);
        log.push(&self.shape(), attributes, call, bytes, || callee.keeper(), check, promise)?;
        drop(log);
        self.end_step(values);
        Ok(())
    }

    #[inline(always)]
    fn end_step(&self, values: &ForEachValue<'_>) {
        if self.entered.is_watched.get() {
            self.end_watched_step(values);
        }
    }

    #[inline(never)]
    fn end_watched_step(&self, values: &ForEachValue<'_>) {
        let Self { run, entered, callee, names, .. } = *self;
        if entered.held.notes_uses.get() {
            let is_repeated = entered.log.borrow().is_last_repeated();
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
