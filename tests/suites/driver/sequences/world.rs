//! The kernels of the trials, and slices.

use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use kernel_args::{
    DevicePointerMut, Error, Kernel, KernelArg, KernelArgs,
    args::{AsStream, Guard, LaunchStream},
    launch,
    sequence::{ExternalArgs, Run, Sequence},
};
use kernel_args_tests::driver::{self, context};
use libtest_mimic::Trial;
use std::{
    fmt,
    ops::DerefMut,
    sync::{Arc, Mutex, PoisonError},
};

pub(crate) use crate::graphs::{
    errors::says,
    saxpy::{Outcome, SAXPY, Saxpy},
};

/// How the sequences of a trial run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Whole,
    /// In segments, with and without cudarc's event tracking: with it, memory of the sequence waits for the end of a
    /// run.
    Segments,
    Untracked,
}

/// The way of the trials that are created now, and of the trial that runs.
static WAY: Mutex<Way> = Mutex::new(Way::Whole);

fn way() -> Way {
    *WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn within<R>(way: Way, work: impl FnOnce() -> R) -> R {
    struct Outer(Way);

    impl Drop for Outer {
        fn drop(&mut self) {
            *WAY.lock().unwrap_or_else(PoisonError::into_inner) = self.0;
        }
    }

    let _outer = Outer(std::mem::replace(&mut *WAY.lock().unwrap_or_else(PoisonError::into_inner), way));
    work()
}

/// A sequence on the stream. In some trials, its runs are cut into segments of one and two steps.
pub(crate) fn new_sequence(stream: &Arc<CudaStream>) -> Sequence {
    let sequence = Sequence::new(stream);
    if way() == Way::Whole { sequence } else { sequence.segments(2) }
}

/// Whether runs are cut into segments.
pub(crate) fn in_segments() -> bool {
    way() != Way::Whole
}

/// Whether the first segment of a run with memory of the sequence is enqueued while the run records.
pub(crate) fn enqueues_early() -> bool {
    way() == Way::Untracked
}

/// Trials about the graph of a whole run, and what they do in the process only once: count calls, get an address again.
const OF_WHOLE_RUNS: [&str; 11] = [
    "freed_memory_is_not_held_as_another_slice",
    "launches_with_different_memory_are_branches",
    "parts_of_a_slice_are_different_memory",
    "a_launch_with_unknown_memory_is_ordered_with_all",
    "other_dependencies_are_another_graph",
    "memsets_and_copies_are_branches_too",
    "numbers_are_not_ordered",
    "external_work_at_the_same_time",
    "two_buffers_that_alternate_are_two_graphs",
    "a_sequence_counts_its_runs",
    "each_kind_of_argument_is_compared",
];

/// The trials, and again with runs in segments.
pub(crate) fn in_all_ways(trials: impl Fn() -> Vec<Trial>) -> Vec<Trial> {
    let mut all = within(Way::Whole, &trials);
    for way in [Way::Segments, Way::Untracked] {
        let is_of_segments = |trial: &Trial| !OF_WHOLE_RUNS.iter().any(|name| trial.name().ends_with(name));
        all.extend(within(way, &trials).into_iter().filter(is_of_segments));
    }
    all
}

pub(crate) fn trial<E: fmt::Display>(name: &str, run: impl FnOnce() -> Result<(), E> + Send + 'static) -> Trial {
    trial_unless(None, name, run)
}

pub(crate) fn trial_unless<E: fmt::Display>(
    why: Option<&'static str>,
    name: &str,
    run: impl FnOnce() -> Result<(), E> + Send + 'static,
) -> Trial {
    let way = way();
    let prefix = match way {
        Way::Whole => "",
        Way::Segments => "in_segments_",
        Way::Untracked => "in_segments_without_events_",
    };
    driver::trial_unless(why, format!("{prefix}{name}"), move || {
        within(way, || run().map_err(|error| error.to_string()))
    })
}

const VECTOR_ADD: &str = include_str!("../../../../ptx/vector_add.ptx");

/// The elements of a slice.
pub(crate) const N: u32 = 32;

#[derive(KernelArgs)]
pub(crate) struct VectorAdd<'a> {
    pub(crate) a: &'a CudaSlice<f32>,
    pub(crate) b: &'a CudaSlice<f32>,
    pub(crate) c: &'a mut CudaSlice<f32>,
    pub(crate) n: u32,
}

pub(crate) struct World {
    pub(crate) ctx: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) saxpy: Kernel<Saxpy<'static>>,
    pub(crate) vector_add: Kernel<VectorAdd<'static>>,
}

impl World {
    pub(crate) fn new() -> Outcome<Self> {
        Self::in_context(context()?)
    }

    pub(crate) fn in_context(ctx: Arc<CudaContext>) -> Outcome<Self> {
        if way() == Way::Untracked {
            // SAFETY: these trials use one stream, or wait with `settle`.
            unsafe { ctx.disable_event_tracking() };
        }
        Ok(Self {
            saxpy: Kernel::from_image(&ctx, SAXPY, "saxpy")?,
            vector_add: Kernel::from_image(&ctx, VECTOR_ADD, "vector_add")?,
            stream: ctx.new_stream()?,
            ctx,
        })
    }

    /// A new world, slices of ones and of zeros, and a sequence on the stream.
    pub(crate) fn begin() -> Outcome<(Self, CudaSlice<f32>, CudaSlice<f32>, Sequence)> {
        let world = Self::new()?;
        let (ones, zeros, sequence) = (world.slice(1.0)?, world.slice(0.0)?, new_sequence(&world.stream));
        Ok((world, ones, zeros, sequence))
    }

    /// Waits for all streams if no events order them.
    pub(crate) fn settle(&self) -> Outcome {
        if way() == Way::Untracked {
            self.ctx.synchronize()?;
        }
        Ok(())
    }

    /// A slice whose elements are all `value`.
    pub(crate) fn slice(&self, value: f32) -> Outcome<CudaSlice<f32>> {
        Ok(self.stream.clone_htod(&[value; N as usize])?)
    }

    /// The first element of a slice, whose elements are all equal.
    pub(crate) fn value(&self, slice: &CudaSlice<f32>) -> Outcome<f32> {
        let values = self.stream.clone_dtoh(slice)?;
        assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
        Ok(values[0])
    }

    /// `y = alpha * x + y`.
    pub(crate) fn saxpy(
        &self,
        alpha: f32,
        x: &CudaSlice<f32>,
        y: &mut impl DerefMut<Target = CudaSlice<f32>>,
        on: &impl AsStream,
    ) -> Result<(), Error> {
        let args = Saxpy { n: N, alpha, x, y };
        // SAFETY: each slice has `N` elements.
        unsafe { launch!(self.saxpy, 1, N, args, stream = on) }
    }

    /// `c = a + b`.
    pub(crate) fn add(
        &self,
        a: &CudaSlice<f32>,
        b: &CudaSlice<f32>,
        c: &mut impl DerefMut<Target = CudaSlice<f32>>,
        on: &impl AsStream,
    ) -> Result<(), Error> {
        let args = VectorAdd { a, b, c, n: N };
        // SAFETY: each slice has `N` elements.
        unsafe { launch!(self.vector_add, 1, N, args, stream = on) }
    }
}

/// External work of the trials, which uses the memory of its arguments and of handles, or is refused.
pub(crate) fn external<A: ExternalArgs, E: From<Error>>(
    run: &Run,
    args: A,
    work: impl for<'a> Fn(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E> + 'static,
) -> Result<(), E> {
    // SAFETY: see above.
    unsafe { run.external(args, work) }
}

/// A slice whose `lower` does something else first.
struct Wrapped<'a> {
    slice: &'a mut CudaSlice<f32>,
    first: &'a mut dyn FnMut(),
}

impl KernelArg for Wrapped<'_> {
    type Device = DevicePointerMut<f32>;

    fn check_context(&self, stream: &LaunchStream<'_>) {
        (&*self.slice).check_context(stream);
    }

    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (DevicePointerMut<f32>, Guard<'s>) {
        (self.first)();
        KernelArg::lower(&mut self.slice, stream)
    }
}

#[derive(KernelArgs)]
struct OfWrapped<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: Wrapped<'a>,
}

/// `y = alpha * x + y`, where the argument `y` calls `first`.
pub(crate) fn wrapped_saxpy(
    world: &World,
    alpha: f32,
    x: &CudaSlice<f32>,
    y: &mut CudaSlice<f32>,
    first: &mut dyn FnMut(),
    on: &impl AsStream,
) -> Result<(), Error> {
    let kernel: Kernel<OfWrapped<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let y = Wrapped { slice: y, first };
    let args = OfWrapped { n: N, alpha, x, y };
    // SAFETY: each slice has `N` elements.
    unsafe { launch!(kernel, 1, N, args, stream = on) }
}

/// Runs `work` without cudarc's event tracking: events of slices cannot be part of a capture.
pub(crate) fn untracked(world: &World, work: impl FnOnce() -> Outcome) -> Outcome {
    // SAFETY: the trials use one stream.
    unsafe { world.ctx.disable_event_tracking() };
    let outcome = work();
    if way() != Way::Untracked {
        // SAFETY: the same.
        unsafe { world.ctx.enable_event_tracking() };
    }
    outcome
}
