//! Launches in the closure of a capture or of a run of a sequence that are not part of it.

use super::{
    errors::says,
    saxpy::{Outcome, Pointers, SAXPY, World},
};
use cudarc::driver::{CudaFunction, CudaStream};
use kernel_args::{
    Error, Kernel,
    error::{OutsideOf, RunError},
    graph::{Graph, run_now},
    launch,
    sequence::Sequence,
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("launches_that_are_not_part_of_their_capture", capture),
        trial("launches_that_are_not_part_of_their_run", run),
        trial("graphs_and_runs_that_are_not_part_of_their_capture", graphs),
        trial("launches_on_joined_streams_are_part_of_a_capture", joined),
        trial("launches_outside_of_closures_run_now", after),
    ]
}

/// A function of each kind. They are loaded before a capture, which does not allow it.
struct Functions {
    kernel: Kernel<Pointers>,
    cudarc: CudaFunction,
}

impl Functions {
    fn new(world: &World) -> Outcome<Self> {
        let module = world.ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?;
        Ok(Self { kernel: Kernel::from_image(&world.ctx, SAXPY, "saxpy")?, cudarc: module.load_function("saxpy")? })
    }

    /// Launches with and without a stream.
    fn launch(&self, world: &World, stream: &Arc<CudaStream>) -> Vec<Result<(), Error>> {
        macro_rules! launched {
            ($($arguments:tt)*) => {
                // SAFETY: both slices have `N` elements, and stay allocated.
                unsafe { launch!($($arguments)*) }
            };
        }
        let Self { kernel, cudarc } = self;
        let raw = kernel.as_function().cu_function();
        vec![
            launched!(kernel, 1, 32, world.raw(1.0), stream = stream),
            launched!(kernel, 1, 32, world.raw(1.0)),
            launched!(kernel.as_function(), 1, 32, world.raw(1.0), stream = stream),
            launched!(cudarc, 1, 32, world.raw(1.0), stream = stream),
            launched!(cudarc, 1, 32, world.raw(1.0)),
            launched!(raw, 1, 32, world.raw(1.0), stream = stream),
        ]
    }
}

fn are_outside(launches: Vec<Result<(), Error>>, of: OutsideOf) -> Outcome {
    for (index, launch) in launches.into_iter().enumerate() {
        match &launch {
            Err(Error::Run(RunError::Outside { of: found, .. })) if *found == of => {}
            _ => return Err(format!("launch {index}: {launch:?}").into()),
        }
        let own = if of == OutsideOf::Run { "`stream = s`" } else { "`stream = &stream`" };
        says(launch, &["kernel `saxpy` was not launched", own, "run_now"])?;
    }
    Ok(())
}

/// Returns the error of a function of a trial.
fn of_trial<T>(result: Outcome<T>) -> Result<T, Error> {
    result.map_err(|error| {
        let error: Box<dyn std::error::Error + Send + Sync> = error.to_string().into();
        resume_unwind(Box::new(error.to_string()))
    })
}

fn capture() -> Outcome {
    let world = World::new()?;
    let (other, functions) = (world.ctx.new_stream()?, Functions::new(&world)?);
    let mut refused = Vec::new();
    let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        refused = functions.launch(&world, &other);
        // The way out: with the stream, or now.
        // SAFETY: both slices have `N` elements, and stay allocated.
        unsafe { launch!(world.kernel, 1, 32, world.args(2.0), node, stream = &world.stream) }?;
        let now = run_now(|| functions.launch(&world, &other));
        assert!(now.iter().all(Result::is_ok), "{now:?}");
        Ok(())
    })?;
    are_outside(refused, OutsideOf::Capture)?;
    assert_eq!(graph.nodes()?.len(), 1);
    world.ctx.synchronize()?;
    // The six that ran at once; the graph has not been launched.
    world.y_is(6.0)
}

fn run() -> Outcome {
    let world = World::new()?;
    let (other, mut sequence) = (world.ctx.new_stream()?, Sequence::new(&world.stream));
    let functions = Functions::new(&world)?;
    let mut refused = Vec::new();
    sequence.run(|s| {
        refused = functions.launch(&world, &other);
        refused.extend(functions.launch(&world, s.stream()));
        // SAFETY: both slices have `N` elements, and stay allocated.
        unsafe { launch!(functions.kernel, 1, 32, world.raw(2.0), stream = s) }?;
        let now = run_now(|| functions.launch(&world, s.stream()));
        assert!(now.iter().all(Result::is_ok), "{now:?}");
        Ok(())
    })?;
    are_outside(refused, OutsideOf::Run)?;
    world.ctx.synchronize()?;
    world.y_is(8.0)
}

fn graphs() -> Outcome {
    let world = World::new()?;
    let other = world.ctx.new_stream()?;
    let mut exec = Graph::new(&world.ctx)?.instantiate()?;
    let (mut elsewhere, mut same) = (Sequence::new(&other), Sequence::new(&world.stream));
    let kernel: Kernel<Pointers> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        // SAFETY: the graph is empty.
        let launched = unsafe { exec.launch(&other) };
        of_trial(says(launched, &["the graph was not launched", "`stream = &stream`"]))?;
        let run = elsewhere.run(|_| Ok(()));
        of_trial(says(run, &["the run of a sequence was not launched"]))?;
        // SAFETY: both slices have `N` elements, and stay allocated.
        same.run(|s| unsafe { launch!(kernel, 1, 32, world.raw(2.0), stream = s) })
    })?;
    assert_eq!(graph.nodes()?.len(), 1);
    let inner = elsewhere.run(|_| same.run(|_| Ok(())));
    says(inner, &["the run of a sequence was not launched", "`stream = s`"])
}

fn joined() -> Outcome {
    let world = World::new()?;
    let other = world.ctx.new_stream()?;
    let kernel: Kernel<Pointers> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        let join = |from: &Arc<CudaStream>, to: &Arc<CudaStream>| to.wait(&from.record_event(None)?);
        of_trial(join(&world.stream, &other).map_err(Into::into))?;
        // SAFETY: both slices have `N` elements, and stay allocated.
        unsafe { launch!(kernel, 1, 32, world.raw(2.0), stream = &other) }?;
        of_trial(join(&other, &world.stream).map_err(Into::into))
    })?;
    let nodes = graph.nodes()?.len();
    assert!(nodes >= 1, "the launch is part of the graph");
    // A capture inside of the closure of a run, and of a capture.
    let third = world.ctx.new_stream()?;
    let inside = || {
        // SAFETY: as above.
        Graph::capture(&third, || unsafe { launch!(kernel, 1, 32, world.raw(2.0), stream = &third) })
    };
    let mut inner = Vec::new();
    Graph::capture(&world.stream, || inside().map(|graph| inner.push(graph)))?;
    Sequence::new(&world.stream).run(|_| inside().map(|graph| inner.push(graph)))?;
    for graph in inner {
        assert_eq!(graph.nodes()?.len(), 1);
    }
    Ok(())
}

/// After a closure, however it ended, and on another thread.
fn after() -> Outcome {
    let world = World::new()?;
    let functions = Functions::new(&world)?;
    let plain = || functions.launch(&world, &world.stream).into_iter().collect::<Result<(), Error>>();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _ = Graph::capture(&world.stream, || -> Result<(), Error> { resume_unwind(Box::new("of the test")) });
    }));
    assert!(panicked.is_err());
    plain()?;
    let failed = Sequence::new(&world.stream).run(|_| Err::<(), _>(Error::NoDriver));
    assert!(failed.is_err());
    plain()?;
    let other = world.ctx.new_stream()?;
    let mut elsewhere = Vec::new();
    Graph::capture(&world.stream, || -> Result<(), Error> {
        thread::scope(|scope| {
            elsewhere = scope.spawn(|| functions.launch(&world, &other)).join().map_err(|_| Error::NoDriver)?;
            Ok(())
        })
    })?;
    assert!(elsewhere.len() == 6 && elsewhere.iter().all(Result::is_ok), "{elsewhere:?}");
    world.ctx.synchronize()?;
    world.y_is(18.0)
}
