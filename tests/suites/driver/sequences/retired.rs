//! Memory that a framework retires while a run records. The test driver reports a kernel that uses freed memory.

use crate::sequences::world::{N, Outcome, World, in_segments, new_sequence, trial, untracked};
use cudarc::driver::CudaSlice;
use kernel_args::{
    Error,
    context::{ContextFlags, create_context},
    graph::{Graph, run_now},
    sequence::{Pool, PoolSlice, RunMode, WhyPlain, retire},
};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread,
};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("a_slice_that_another_thread_retires_is_freed_behind_the_run", elsewhere),
        trial("a_slice_of_a_pool_is_used_again_behind_the_run", pooled),
        trial("a_slice_that_is_retired_outlives_all_runs_on_its_stream", several_runs),
        trial("slices_that_are_retired_in_every_state_of_a_run", states),
        trial("slices_that_are_retired_in_a_capture", captured),
        trial("random_threads_retire_what_random_runs_use", random),
    ]
}

const LEN: usize = N as usize;

fn on_a_thread(work: impl FnOnce() + Send) {
    thread::scope(|scope| scope.spawn(work).join()).expect("no panic");
}

/// Memory of the same size with other values, which has the memory that was freed.
fn overwrite(world: &World) -> Outcome<Vec<CudaSlice<f32>>> {
    (0..8).map(|_| world.slice(1000.0)).collect()
}

fn elsewhere() -> Outcome {
    let (world, mut y, mut sequence) = (World::new()?, None, None);
    for run in 1..8_u8 {
        let sequence = sequence.get_or_insert_with(|| new_sequence(&world.stream));
        let y = y.get_or_insert(world.slice(0.0)?);
        let x = world.slice(f32::from(run))?;
        if run == 4 {
            // SAFETY: the slices are on the stream of the sequence, and are retired.
            unsafe { sequence.assume_all_held()? };
        }
        if run == 5 {
            // This thread is in the run.
            let others = sequence.run(|s| {
                world.saxpy(1.0, &x, &mut &mut *y, s)?;
                on_a_thread(|| retire(x));
                Ok(overwrite(&world))
            })?;
            assert_eq!(world.value(y)?, 15.0);
            drop(others);
            continue;
        }
        let recorder = sequence.begin()?;
        if run < 4 {
            // SAFETY: the same.
            unsafe { recorder.assume_all_held()? };
        }
        world.saxpy(1.0, &x, &mut &mut *y, &recorder)?;
        on_a_thread(|| retire(x));
        let others = overwrite(&world)?;
        recorder.finish()?;
        assert_eq!(world.value(y)?, f32::from(run) * f32::from(run + 1) / 2.0);
        drop(others);
    }
    Ok(())
}

/// The pool would give the memory to a slice that is written before the run is enqueued.
fn pooled() -> Outcome {
    let (world, _, mut y, mut sequence) = World::begin()?;
    let pool = Pool::new(&world.stream);
    // SAFETY: the slices are on the stream of the sequence, and are retired.
    unsafe { sequence.assume_all_held()? };
    for run in 1..5 {
        let mut x: PoolSlice<f32> = pool.alloc_zeros(LEN)?;
        world.stream.memcpy_htod(&[1.0; LEN], &mut *x)?;
        let recorder = sequence.begin()?;
        world.saxpy(1.0, &x, &mut &mut y, &recorder)?;
        on_a_thread(|| retire(x));
        let mut other = pool.alloc_zeros::<f32>(LEN)?;
        world.stream.memcpy_htod(&[1000.0; LEN], &mut *other)?;
        recorder.finish()?;
        assert_eq!(world.value(&y)?, run as f32);
        drop(other);
        assert_eq!(pool.memory_use().used, 0);
    }
    Ok(())
}

fn several_runs() -> Outcome {
    let (world, _, mut y, mut first) = World::begin()?;
    let (mut second, mut third) = (new_sequence(&world.stream), new_sequence(&world.stream));
    for sequence in [&mut first, &mut second, &mut third] {
        // SAFETY: the slices are on the stream of the sequence, and are retired.
        unsafe { sequence.assume_all_held()? };
    }
    for last in 0..3 {
        let x = world.slice(1.0)?;
        let runs = [first.begin()?, run_now(|| second.begin())?, run_now(|| third.begin())?];
        runs.iter().try_for_each(|run| world.saxpy(1.0, &x, &mut &mut y, run))?;
        on_a_thread(|| retire(x));
        let others = overwrite(&world)?;
        let mut runs: Vec<_> = runs.into_iter().collect();
        runs.rotate_left(last);
        // One of them is given up.
        drop(runs.pop());
        let freed_later = overwrite(&world)?;
        runs.into_iter().try_for_each(|run| run.finish().map(drop))?;
        drop((others, freed_later));
        let each = if in_segments() { 3.0 } else { 2.0 };
        assert_eq!(world.value(&y)?, each * (last + 1) as f32);
    }
    Ok(())
}

/// No state keeps a later run from working, and each value that is dropped later is dropped.
fn states() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let probe = Arc::new(x);
    retire(world.slice(1.0)?);
    // SAFETY: the slices are on the stream of the sequence, and are retired.
    unsafe { sequence.assume_all_held()? };
    retire(world.slice(1.0)?);
    let other = create_context(world.ctx.ordinal(), ContextFlags::new())?;
    let (stream, theirs) = (world.ctx.new_stream()?, other.new_stream()?);
    let mut expected = 0.0;
    for state in 0..7 {
        let run = sequence.begin()?;
        let (used, clone) = (world.slice(1.0)?, run.clone());
        world.saxpy(1.0, &used, &mut &mut y, &run)?;
        world.saxpy(1.0, &probe, &mut &mut y, &run)?;
        // Neither is on the stream of the run.
        on_a_thread(|| retire(stream.clone_htod(&[1.0_f32; LEN]).expect("memory")));
        on_a_thread(|| retire(theirs.clone_htod(&[1.0_f32; LEN]).expect("memory")));
        on_a_thread(|| retire(used));
        let others = overwrite(&world)?;
        match state {
            0 => drop((run, clone)),
            1 => on_a_thread(|| drop((run, clone))),
            2 => on_a_thread(|| {
                let _ = run.finish();
            }),
            3 => {
                let inside = catch_unwind(AssertUnwindSafe(|| {
                    let _run = run;
                    panic!("on purpose")
                }));
                assert!(inside.is_err() && clone.is_recording());
            }
            4 => {
                drop(run);
                assert!(clone.finish().is_ok());
            }
            5 => {
                run.finish()?;
                retire(world.slice(1.0)?);
                assert!(clone.finish().is_err());
            }
            _ => {
                drop(sequence);
                run.finish()?;
                sequence = new_sequence(&world.stream);
                // SAFETY: the same.
                unsafe { sequence.assume_all_held()? };
            }
        }
        if matches!(state, 2 | 4 | 5 | 6) {
            expected += 2.0;
        } else if in_segments() {
            // The first segment has one step.
            expected += 1.0;
        }
        assert_eq!(world.value(&y)?, expected, "{state}");
        drop(others);
    }
    assert_eq!(Arc::strong_count(&probe), 1);
    Ok(world.ctx.check_err()?)
}

/// The free of a slice must not become a node of the graph.
fn captured() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let (mut y, mut sequence) = (world.slice(0.0)?, new_sequence(&world.stream));
        // SAFETY: the slices are on the stream of the sequence. The graph is never launched.
        unsafe { sequence.assume_all_held()? };
        for gives_up in [false, true, false] {
            let (retired, kept) = (world.slice(1.0)?, Arc::new(world.slice(1.0)?));
            world.ctx.synchronize()?;
            let weak = Arc::downgrade(&kept);
            let graph = Graph::capture(&world.stream, || {
                let run = sequence.begin()?;
                run.keep(kept.clone())?;
                drop(kept);
                for x in [&retired, &*weak.upgrade().expect("the run keeps it")] {
                    world.saxpy(1.0, x, &mut &mut y, &run)?;
                }
                on_a_thread(|| retire(retired));
                if gives_up {
                    drop(run);
                } else {
                    assert_eq!(run.finish()?, RunMode::Plain(WhyPlain::Capturing));
                }
                // The stream can be used.
                world.stream.memset_zeros(&mut y).map_err(Error::from)
            });
            assert_eq!(graph?.nodes()?.len(), if gives_up { 1 } else { 3 });
            world.ctx.check_err()?;
            Graph::wait_until_released();
            assert_eq!(weak.strong_count(), 0);
        }
        assert_eq!(world.value(&y)?, 0.0);
        Ok(())
    })
}

/// A slice on its way to a thread that retires it.
type Sent = CudaSlice<f32>;

fn random() -> Outcome {
    const THREADS: usize = 3;
    let (world, _, mut y, mut sequence) = World::begin()?;
    let mut rng = Rng::new(0x0e71, 0);
    // SAFETY: the slices are on the stream of the sequence, and are retired.
    unsafe { sequence.assume_all_held()? };
    let mut expected = 0.0;
    thread::scope(|scope| {
        let (acknowledge, acknowledged) = mpsc::channel::<()>();
        let senders: Vec<mpsc::Sender<Sent>> = (0..THREADS)
            .map(|_| {
                let ((sender, receiver), acknowledge) = (mpsc::channel::<Sent>(), acknowledge.clone());
                scope.spawn(move || {
                    for slice in receiver {
                        retire(slice);
                        let _ = acknowledge.send(());
                    }
                });
                sender
            })
            .collect();
        for _ in 0..150 {
            let run = sequence.begin()?;
            let (mut sum, mut sent) = (0.0, 0);
            let mut alive: Vec<(f32, Sent)> = Vec::new();
            for _ in 0..rng.below(12) {
                let value = (1 + rng.below(4)) as f32;
                alive.push((value, world.slice(value)?));
                for _ in 0..rng.below(3) {
                    let (value, slice) = rng.pick(&alive);
                    world.saxpy(1.0, slice, &mut &mut y, &run)?;
                    sum += value;
                }
                if rng.chance(60) {
                    let (_, slice) = alive.swap_remove(rng.below(alive.len()));
                    sent += 1;
                    senders[rng.below(THREADS)].send(slice)?;
                }
                if rng.chance(30) {
                    for _ in 0..std::mem::take(&mut sent) {
                        acknowledged.recv()?;
                    }
                }
            }
            if rng.chance(70) {
                run.finish()?;
                expected += sum;
            } else {
                drop(run);
                let most = if in_segments() { expected + sum } else { expected };
                let value = world.value(&y)?;
                assert!((expected..=most).contains(&value));
                expected = value;
            }
            assert_eq!(world.value(&y)?, expected);
            for (_, slice) in alive {
                retire(slice);
            }
            (0..sent).try_for_each(|_| acknowledged.recv())?;
        }
        Outcome::Ok(())
    })?;
    Ok(world.ctx.check_err()?)
}
