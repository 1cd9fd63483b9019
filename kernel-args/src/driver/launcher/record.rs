//! Calls of launchers in a sequence: the work of the function is captured, and its nodes become steps.

use super::{Call, Lowered, name, names};
use crate::{
    driver::{
        api::Promise,
        error::Error,
        launch::{Watched, not_held},
        run::{Entered, ExternalSteps, RunRecord},
        sequence::{add_work, capture, read_captured},
    },
    marshal::{LaunchStream, LauncherArgs},
    memory::StepUses,
};
use core::{
    any::{Any, TypeId},
    hash::Hasher,
};
use std::hash::DefaultHasher;

/// The struct, which names its function, and the lowered arguments. Calls with equal ones enqueue equal work.
struct Key {
    of: TypeId,
    bytes: Vec<u8>,
}

impl Key {
    fn is<A: LauncherArgs>(&self, lowered: &Lowered<'_, A>) -> bool {
        let mut rest = Some(&*self.bytes);
        lowered.values(&mut |_, bytes| rest = rest.and_then(|rest| rest.strip_prefix(bytes)));
        self.of == TypeId::of::<A::Erased>() && rest.is_some_and(<[u8]>::is_empty)
    }
}

/// The function is called only if the sequence does not remember an equal call.
#[cold]
#[inline(never)]
pub(super) fn record<A: LauncherArgs>(
    run: &RunRecord,
    recording: &Entered<'_>,
    args: &mut A,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let held = &recording.held;
    let (stream, on) = (LaunchStream::in_sequence(held), held.stream());
    let call = Call { is_recorded: true, ..Call::of::<_, Watched>(args, Some(on), Some(on.context())) };
    let add = |lowered: &Lowered<'_, A>| {
        let hash = || {
            let mut hasher = DefaultHasher::new();
            lowered.values(&mut |_, value| hasher.write(value));
            hasher.finish()
        };
        let is_equal = |steps: &ExternalSteps| steps.key.downcast_ref().is_some_and(|key: &Key| key.is(lowered));
        let capture = || {
            // The caller of `launch!` has promised what the work does with memory that is not an argument.
            let graph = capture(on, |stream| lowered.call::<Watched>((&**stream).into(), promise));
            let captured = read_captured(graph.map_err(named::<A>)?, false, &|_, _, _| true).map_err(named::<A>)?;
            let mut bytes = Vec::new();
            lowered.values(&mut |_, value| bytes.extend_from_slice(value));
            let key: Box<dyn Any + Send + Sync> = Box::new(Key { of: TypeId::of::<A::Erased>(), bytes });
            Ok((key, captured))
        };
        add_work(recording, "the call of a launcher", hash, is_equal, capture, StepUses::add_ordered)
    };
    held.within(|| {
        Lowered::with(args, &stream, |lowered| {
            if held.is_not_held() {
                return Err(not_held(recording, name::<A>(), names::<A>()));
            }
            call.around(&lowered, || add(&lowered))
        })
    })?;
    if recording.is_watched.get() {
        run.end_step(recording);
    }
    Ok(())
}

/// Names the launcher in the error of a capture.
fn named<A: LauncherArgs>(mut error: Error) -> Error {
    if let Error::Graph(error) = &mut error {
        error.kernel = Some(name::<A>());
    }
    error
}
