//! Runs whose recorder is stored, and memory that a run owns.

use crate::sequences::world::{N, Outcome, SAXPY, Saxpy, World, in_segments, new_sequence, says, trial, wrapped_saxpy};
use cudarc::driver::{CudaSlice, DevicePtr, sys::CUdeviceptr};
use kernel_args::{
    Error, Kernel, KernelArgs,
    context::{ContextFlags, create_context},
    graph::run_now,
    launch,
    sequence::{Keep, KeptMemory, Run, RunMode, current, is_recording},
};
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, mpsc},
    thread,
};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("a_stored_run_is_one_graph", stored),
        trial("a_run_that_is_dropped_is_not_enqueued", given_up),
        trial("the_run_of_a_stream_is_found_on_its_thread", found),
        trial("a_launch_next_to_a_stored_run_is_refused", next_to_a_run),
        trial("one_run_of_a_sequence_records_at_a_time", one_at_a_time),
        trial("a_kept_value_is_freed_behind_the_run", kept),
        trial("kept_memory_is_found_in_all_values", containers),
        trial("memory_that_nobody_owns_is_refused", not_owned),
        trial("guaranteed_memory_is_not_checked", guaranteed),
        trial("a_kept_value_of_another_context_is_refused", other_context),
        trial("a_sequence_keeps_values_for_all_its_runs", for_all_runs),
        trial("a_kept_value_whose_drop_panics", panicking_drop),
        trial("a_kept_value_whose_drop_launches_and_begins_a_run", launching_drop),
        trial("a_run_ends_on_another_thread", other_thread),
        trial("two_threads_do_not_record_at_the_same_time", two_threads),
        trial("a_run_does_not_end_in_its_own_launch", in_a_launch),
        trial("a_recorder_that_outlives_its_closure", outlives),
    ]
}

pub(crate) fn memory(slice: &CudaSlice<f32>) -> Range<CUdeviceptr> {
    let begin = slice.device_ptr(slice.stream()).0;
    begin..begin + slice.num_bytes() as CUdeviceptr
}

/// `y = alpha * x + y` in a run that owns `x`. The caller keeps `y` allocated.
fn saxpy(world: &World, run: &Run, alpha: f32, x: &Arc<CudaSlice<f32>>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    run.keep(x.clone())?;
    // SAFETY: the trial frees the slice after the run, and nothing else uses it.
    unsafe { run.assume_held(memory(y))? };
    world.saxpy(alpha, x, &mut &mut *y, run)
}

fn stored() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    for (alpha, mode) in [(1.0, RunMode::Built), (1.0, RunMode::Updated(0)), (3.0, RunMode::Updated(1))] {
        world.stream.memset_zeros(&mut y)?;
        let run = sequence.begin()?;
        saxpy(&world, &run, alpha, &x, &mut y)?;
        saxpy(&world, &run.clone(), 10.0, &x, &mut y)?;
        assert_eq!(run.finish()?, mode);
        assert_eq!(*sequence.mode(), mode);
        assert_eq!(world.value(&y)?, alpha + 10.0);
    }
    let run = sequence.begin()?;
    assert_eq!(*sequence.mode(), RunMode::Updated(1), "of the last run that is over");
    assert_eq!(run.finish()?, RunMode::Empty);
    assert_eq!(*sequence.mode(), RunMode::Empty);
    Ok(())
}

fn given_up() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    for gives_up in [true, false, true, false] {
        let run = sequence.begin()?;
        let clone = run.clone();
        saxpy(&world, &clone, 1.0, &x, &mut y)?;
        drop(run);
        assert!(clone.is_recording());
        if !gives_up {
            let stale = clone.clone();
            clone.finish()?;
            assert!(!stale.is_recording());
            let refused = world.saxpy(1.0, &x, &mut &mut y, &stale);
            says(
                refused,
                &["kernel `saxpy` was not recorded", "the run of the sequence is over", "sequence.begin()?"],
            )?;
            says(stale.keep(x.clone()), &["is over"])?;
            says(stale.clone().finish(), &["is over"])?;
            // A recorder of an earlier run does not keep the next one from recording.
            drop(sequence.begin()?);
        }
    }
    // The first segment has one step.
    let expected = if in_segments() { 4.0 } else { 2.0 };
    assert_eq!(world.value(&y)?, expected);
    let run = sequence.begin()?;
    drop(sequence);
    saxpy(&world, &run, 1.0, &x, &mut y)?;
    run.finish()?;
    assert_eq!((world.value(&y)?, Arc::strong_count(&x)), (expected + 1.0, 1));
    Ok(())
}

fn found() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let deep = |y: &mut CudaSlice<f32>| match current(&world.stream) {
        Some(run) => saxpy(&world, &run, 1.0, &x, y),
        None => world.saxpy(1.0, &x, &mut &mut *y, &world.stream),
    };
    deep(&mut y)?;
    let run = sequence.begin()?;
    assert!(is_recording(&world.stream) && !is_recording(&*world.ctx.new_stream()?));
    deep(&mut y)?;
    let elsewhere = thread::scope(|scope| scope.spawn(|| is_recording(&world.stream)).join());
    assert!(!elsewhere.expect("no panic"), "a different thread records nothing");
    assert_eq!(run.finish()?, RunMode::Built);
    assert!(!is_recording(&world.stream) && current(&world.stream).is_none());
    deep(&mut y)?;
    // The closure of a run records too.
    sequence.run(|_| deep(&mut y))?;
    assert_eq!(*sequence.mode(), RunMode::Updated(0));
    assert!(current(&world.stream).is_none());
    assert_eq!(world.value(&y)?, 4.0);
    Ok(())
}

fn next_to_a_run() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let (other, x) = (world.ctx.new_stream()?, Arc::new(x));
    let run = sequence.begin()?;
    let words = ["kernel `saxpy` was not launched", "records a run", "`stream = s`", "sequence::current(&stream)"];
    says(world.saxpy(100.0, &x, &mut &mut y, &world.stream), &words)?;
    world.settle()?;
    world.saxpy(2.0, &x, &mut &mut y, &other)?;
    other.synchronize()?;
    run_now(|| world.saxpy(3.0, &x, &mut &mut y, &world.stream))?;
    saxpy(&world, &run, 10.0, &x, &mut y)?;
    let mut second = new_sequence(&world.stream);
    says(second.begin(), &["the run of a sequence was not launched", "records a run"])?;
    says(second.run(|_| Ok(())), &["the run of a sequence was not launched"])?;
    drop(new_sequence(&other).begin()?);
    run.finish()?;
    world.saxpy(1.0, &x, &mut &mut y, &world.stream)?;
    assert_eq!(world.value(&y)?, 16.0);
    Ok(())
}

fn one_at_a_time() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let run = sequence.begin()?;
    let other = run_now(|| sequence.begin());
    says(other, &["an earlier run of this sequence is not over", "finish"])?;
    // SAFETY: nothing uses it.
    says(unsafe { sequence.assume_all_held() }, &["not over"])?;
    saxpy(&world, &run, 1.0, &x, &mut y)?;
    run.finish()?;
    // Two runs of two sequences, which end in the other order.
    let (first, mut second) = (sequence.begin()?, new_sequence(&world.stream));
    let second = run_now(|| second.begin())?;
    saxpy(&world, &first, 10.0, &x, &mut y)?;
    saxpy(&world, &second, 100.0, &x, &mut y)?;
    second.finish()?;
    assert_eq!(world.value(&y)?, if in_segments() { 111.0 } else { 101.0 });
    first.finish()?;
    assert_eq!(world.value(&y)?, 111.0);
    Ok(())
}

/// The test driver reports a kernel that uses freed memory.
fn kept() -> Outcome {
    let (world, _, mut y, mut sequence) = World::begin()?;
    for run in 1..8 {
        let recorder = sequence.begin()?;
        let x = Arc::new(world.slice(run as f32)?);
        let weak = Arc::downgrade(&x);
        saxpy(&world, &recorder, 1.0, &x, &mut y)?;
        drop(x);
        assert_eq!(weak.strong_count(), 1);
        if run % 3 == 0 {
            drop(recorder);
        } else {
            recorder.finish()?;
        }
        assert_eq!(weak.strong_count(), 0);
    }
    let runs = (1..8).filter(|run| in_segments() || run % 3 > 0);
    assert_eq!(world.value(&y)?, f32::from(runs.sum::<u8>()));
    Ok(())
}

struct Storage {
    first: CudaSlice<f32>,
    rest: Vec<Option<Box<CudaSlice<f32>>>>,
}

impl Keep for Storage {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        memory.add(&self.first);
        self.rest.memory(memory);
    }
}

#[derive(KernelArgs)]
struct OfView<'a> {
    n: u32,
    alpha: f32,
    x: cudarc::driver::CudaView<'a, f32>,
    y: &'a mut CudaSlice<f32>,
}

fn containers() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let kernel: Kernel<OfView<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let rest = vec![None, Some(Box::new(world.slice(2.0)?)), Some(Box::new(world.slice(3.0)?))];
    let storage = Arc::new((Storage { first: x, rest }, [Arc::new(world.slice(4.0)?)]));
    for _ in 0..3 {
        let run = sequence.begin()?;
        run.keep(storage.clone())?;
        run.keep(storage.clone())?;
        // SAFETY: nothing else uses it, and it outlives the run.
        unsafe { run.assume_held(memory(&y))? };
        let (Storage { first, rest }, [last]) = &*storage;
        run.memset_zeros(&mut y)?;
        for x in [first, last].into_iter().chain(rest.iter().flatten().map(|x| &**x)) {
            let args = OfView { n: N / 2, alpha: 1.0, x: x.slice(N as usize / 2..), y: &mut y };
            // SAFETY: the view and the slice have `N / 2` elements.
            unsafe { launch!(kernel, 1, N, args, stream = &run)? };
        }
        run.memcpy_dtod(&first.slice(..4), &mut y.slice_mut(N as usize / 2..))?;
        run.finish()?;
    }
    assert_eq!(*sequence.mode(), RunMode::Updated(0));
    let values = world.stream.clone_dtoh(&y)?;
    let expected = |at: usize| match at {
        0..16 => 10.0,
        16..20 => 1.0,
        _ => 0.0,
    };
    assert_eq!(values, (0..N as usize).map(expected).collect::<Vec<_>>());
    Ok(())
}

fn not_owned() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let run = sequence.begin()?;
    // SAFETY: nothing else uses it, and it outlives the run.
    unsafe { run.assume_held(memory(&y))? };
    says(world.saxpy(1.0, &x, &mut &mut y, &run), &["`x`", "does not hold", "run.keep(x.clone())?"])?;
    says(run.memcpy_dtod(&*x, &mut y), &["memcpy_dtod", "`from`"])?;
    run.keep(x.clone())?;
    world.saxpy(1.0, &x, &mut &mut y, &run)?;
    run.finish()?;
    // A value that an earlier run owned is not owned by this run.
    let run = sequence.begin()?;
    says(run.memset_zeros(&mut y), &["`slice`"])?;
    // SAFETY: nothing else uses it, and it outlives the run.
    unsafe { run.assume_held(memory(&y))? };
    says(world.saxpy(1.0, &x, &mut &mut y, &run), &["`x`"])?;
    // The range ends in the middle of a slice.
    let part = memory(&x).start..memory(&x).end - 4;
    // SAFETY: the slice outlives the run.
    unsafe { run.assume_held(part)? };
    says(world.saxpy(1.0, &x, &mut &mut y, &run), &["`x`"])?;
    run.finish()?;
    assert_eq!(world.value(&y)?, 1.0);
    Ok(())
}

fn guaranteed() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for run in 0..4 {
        if run == 2 {
            // SAFETY: both slices outlive the sequence's runs, and only the runs use them.
            unsafe { sequence.assume_all_held()? };
        }
        let recorder = sequence.begin()?;
        if run < 2 {
            // SAFETY: the same.
            unsafe { recorder.assume_all_held()? };
        }
        world.saxpy(1.0, &x, &mut &mut y, &recorder)?;
        assert_eq!(recorder.finish()?, if run == 0 { RunMode::Built } else { RunMode::Updated(0) });
    }
    assert_eq!(world.value(&y)?, 4.0);
    Ok(())
}

fn other_context() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let other = create_context(world.ctx.ordinal(), ContextFlags::new())?;
    let theirs = Arc::new(other.new_stream()?.clone_htod(&[1.0_f32; N as usize])?);
    let words = ["the slice belongs to a different context"];
    says(sequence.keep(theirs.clone()), &words)?;
    let run = sequence.begin()?;
    says(run.keep((Arc::new(x), theirs.clone())), &words)?;
    run.finish()?;
    assert_eq!(Arc::strong_count(&theirs), 1);
    Ok(())
}

fn for_all_runs() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    sequence.keep(x.clone())?;
    // SAFETY: it outlives the sequence, and only its runs use it.
    unsafe { sequence.assume_held(memory(&y))? };
    for _ in 0..3 {
        let run = sequence.begin()?;
        world.saxpy(1.0, &x, &mut &mut y, &run)?;
        run.finish()?;
        sequence.run(|s| world.saxpy(1.0, &x, &mut &mut y, s))?;
    }
    assert_eq!((world.value(&y)?, Arc::strong_count(&x)), (6.0, 2));
    drop(sequence);
    assert_eq!(Arc::strong_count(&x), 1);
    Ok(())
}

/// Calls its function when it is dropped.
struct OnDrop<F: FnMut() + Send + 'static>(Option<CudaSlice<f32>>, F);

impl<F: FnMut() + Send + 'static> Keep for OnDrop<F> {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        self.0.memory(memory);
    }
}

impl<F: FnMut() + Send + 'static> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.1)();
    }
}

fn panicking_drop() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    for is_finished in [true, false, true] {
        let run = sequence.begin()?;
        saxpy(&world, &run, 1.0, &x, &mut y)?;
        run.keep(OnDrop(None, || panic!("on purpose")))?;
        run.keep(OnDrop(Some(world.slice(1.0)?), || panic!("on purpose")))?;
        run.keep(x.clone())?;
        let ended = catch_unwind(AssertUnwindSafe(|| {
            if is_finished {
                return run.finish().map(drop);
            }
            drop(run);
            Ok(())
        }));
        assert!(ended.is_err());
        assert_eq!(Arc::strong_count(&x), 1, "the other values are dropped");
    }
    assert_eq!(world.value(&y)?, if in_segments() { 3.0 } else { 2.0 });
    Ok(())
}

fn launching_drop() -> Outcome {
    let world = Arc::new(World::new()?);
    let (x, y) = (Arc::new(world.slice(1.0)?), Arc::new(Mutex::new(world.slice(0.0)?)));
    let (mut outer, inner) = (new_sequence(&world.stream), Arc::new(Mutex::new(new_sequence(&world.stream))));
    for _ in 0..3 {
        let run = outer.begin()?;
        let stale = run.clone();
        saxpy(&world, &run, 1.0, &x, &mut y.lock().expect("no panic"))?;
        let (their_world, their_x, their_y, inner) = (world.clone(), x.clone(), y.clone(), inner.clone());
        run.keep(OnDrop(None, move || {
            let (world, y) = (&their_world, &mut *their_y.lock().expect("no panic"));
            says(world.saxpy(1.0, &their_x, &mut &mut *y, &stale), &["is over"]).expect("it ends");
            says(stale.clone().finish(), &["is over"]).expect("it ends");
            // Behind the run.
            world.saxpy(10.0, &their_x, &mut &mut *y, &world.stream).expect("a plain launch");
            let run = inner.lock().expect("no panic").begin().expect("no run records");
            saxpy(world, &run, 100.0, &their_x, y).expect("a launch");
            run.finish().expect("a run");
        }))?;
        run.finish()?;
    }
    assert_eq!(world.value(&y.lock().expect("no panic"))?, 333.0);
    Ok(())
}

fn other_thread() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    for _ in 0..3 {
        let run = sequence.begin()?;
        saxpy(&world, &run, 1.0, &x, &mut y)?;
        let ended = thread::scope(|scope| {
            let thread = scope.spawn(|| {
                saxpy(&world, &run, 1.0, &x, &mut y)?;
                run.finish()
            });
            thread.join().expect("no panic")
        });
        ended?;
        // This thread has begun it.
        assert!(!is_recording(&world.stream));
        world.saxpy(10.0, &x, &mut &mut y, &world.stream)?;
    }
    assert_eq!((world.value(&y)?, sequence.mode()), (36.0, &RunMode::Updated(0)));
    // A recorder that is dropped on another thread.
    let run = sequence.begin()?;
    thread::spawn(|| drop(run)).join().expect("no panic");
    assert!(!is_recording(&world.stream));
    sequence.begin()?.finish()?;
    Ok(())
}

/// [`saxpy`], where the argument `y` calls `first`.
fn wrapped(
    world: &World,
    run: &Run,
    x: &Arc<CudaSlice<f32>>,
    y: &mut CudaSlice<f32>,
    first: &mut dyn FnMut(),
) -> Result<(), Error> {
    run.keep(x.clone())?;
    // SAFETY: the trial frees the slice after the run, and nothing else uses it.
    unsafe { run.assume_held(memory(y))? };
    wrapped_saxpy(world, 1.0, x, y, first, run)
}

fn two_threads() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let (x, mut z) = (Arc::new(x), world.slice(0.0)?);
    let run = sequence.begin()?;
    let (to_second, second) = mpsc::channel::<()>();
    let (to_first, first) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let (world, x, z, other) = (&world, &x, &mut z, run.clone());
        let thread = scope.spawn(move || {
            second.recv().expect("the first thread");
            // SAFETY: nothing is launched with it.
            let refused = unsafe { other.assume_held(memory(z)) };
            let launch = world.saxpy(1.0, x, &mut &mut *z, &other);
            let finished = other.clone().finish();
            drop(other);
            to_first.send(()).expect("the first thread");
            (refused, launch, finished)
        });
        let mut meanwhile = || {
            to_second.send(()).expect("the second thread");
            first.recv().expect("the second thread");
        };
        wrapped(world, &run, x, &mut y, &mut meanwhile).expect("a launch");
        let (refused, launch, finished) = thread.join().expect("no panic");
        for refused in [refused, launch, finished.map(drop)] {
            says(refused, &["was not recorded", "another thread records in this run now"]).expect("the reason");
        }
    });
    run.finish()?;
    assert_eq!((world.value(&y)?, world.value(&z)?), (1.0, 0.0));
    Ok(())
}

fn in_a_launch() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let run = sequence.begin()?;
    let clone = run.clone();
    wrapped(&world, &run, &x, &mut y, &mut || {
        says(clone.clone().finish(), &["in a launch of the run"]).expect("the reason");
        says(run_now(|| sequence.begin()), &["not over"]).expect("the reason");
    })?;
    run.finish()?;
    drop(clone);
    // The last recorder that can name the run is dropped in a launch of it.
    let run = sequence.begin()?;
    let mut clone = Some(run.clone());
    wrapped(&world, &run, &x, &mut y, &mut || drop(clone.take()))?;
    run.finish()?;
    assert_eq!(world.value(&y)?, 2.0);
    Ok(())
}

fn outlives() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut stored = Vec::new();
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            let clone = (**s).clone();
            says(clone.clone().finish(), &["ends with its closure"]).expect("the reason");
            world.saxpy(1.0, x, &mut y, &clone)?;
            stored.push(clone);
            Ok(())
        })?;
        for stale in &stored {
            says(world.saxpy(1.0, &x, &mut &mut y, stale), &["is over"])?;
        }
        assert_eq!(world.value(&y)?, 2.0 * run as f32);
    }
    assert_eq!(*sequence.mode(), RunMode::Updated(0));
    let args = Saxpy { n: N, alpha: 1.0, x: &x, y: &mut y };
    // SAFETY: each slice has `N` elements.
    unsafe { launch!(world.saxpy, 1, N, args, stream = &world.stream)? };
    assert_eq!(world.value(&y)?, 7.0);
    Ok(())
}
