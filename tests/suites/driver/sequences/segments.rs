//! Runs that are enqueued in segments while they record.

use crate::sequences::world::{N, Outcome, World, says, trial, trial_unless, untracked};
use cudarc::driver::{CudaSlice, sys::CUgraphInstantiate_flags, sys::CUstreamCaptureMode};
use kernel_args::sequence::{Keep, KeptMemory, PoolSlice, Run, RunCounts, RunMode, Sequence};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let why = driver.is_real().then_some("this machine has its own GPU");
    vec![
        trial("a_segment_runs_while_the_run_records", early),
        trial("only_the_segment_that_changed_is_another_graph", changed),
        trial("a_run_that_is_given_up_has_run_its_first_segments", given_up),
        trial("held_slices_and_captures_wait_for_the_end_of_the_run", late),
        trial("a_capture_that_begins_in_a_run", captured),
        trial("other_work_runs_between_segments", between),
        trial("a_kept_value_that_lies_about_its_memory_in_a_segment", lies),
        trial_unless(why, "a_segment_that_fails_is_the_last_one", fails),
    ]
}

const LEN: usize = N as usize;

/// Segments of 1, 4, 4, … steps.
fn four(world: &World) -> Sequence {
    Sequence::new(&world.stream).segments(4)
}

/// `y += factor * x`, `count` times.
fn add(world: &World, run: &Run, factors: &[f32], x: &CudaSlice<f32>, y: &mut PoolSlice<f32>) -> Outcome {
    Ok(factors.iter().try_for_each(|factor| world.saxpy(*factor, x, &mut &mut **y, run))?)
}

/// A run that keeps `x`, and zeros of the sequence.
fn begin(sequence: &mut Sequence, x: &Arc<CudaSlice<f32>>) -> Outcome<(Run, PoolSlice<f32>)> {
    let run = sequence.begin()?;
    run.keep(x.clone())?;
    let y = run.alloc_zeros::<f32>(LEN)?;
    Ok((run, y))
}

fn early() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let (mut sequence, x) = (four(&world), Arc::new(world.slice(1.0)?));
        for round in 0..3 {
            let (run, mut y) = begin(&mut sequence, &x)?;
            // The memset is the first segment.
            for (steps, enqueued) in [(0, 0), (3, 0), (1, 4), (2, 4), (1, 4), (1, 8), (3, 8)] {
                add(&world, &run, &vec![1.0; steps], &x, &mut y)?;
                assert_eq!(world.value(&y)?, enqueued as f32);
            }
            let mode = run.finish()?;
            assert_eq!(mode, if round == 0 { RunMode::Built } else { RunMode::Updated(0) });
            assert_eq!((world.value(&y)?, sequence.longest_chain()), (11.0, 12));
        }
        let RunCounts { graphs, built, equal, updated_nodes, .. } = sequence.counts();
        assert_eq!((graphs, built, equal, updated_nodes), (4, 1, 2, 0));
        Ok(())
    })
}

fn changed() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let (mut sequence, x) = (four(&world), Arc::new(world.slice(1.0)?));
        let mut graphs = Vec::new();
        for (factors, zeroed, mode) in [
            ([1.0; 11], false, RunMode::Built),
            ([1.0; 11], true, RunMode::Built),
            ([2.0; 11], false, RunMode::Updated(11)),
            ([2.0; 11], true, RunMode::Updated(3)),
        ] {
            let (run, mut y) = begin(&mut sequence, &x)?;
            let (first, last) = factors.split_at(6);
            add(&world, &run, first, &x, &mut y)?;
            if zeroed {
                // One step more: the second segment is the same.
                run.memset_zeros(&mut y)?;
                add(&world, &run, &last[1..], &x, &mut y)?;
            } else {
                add(&world, &run, last, &x, &mut y)?;
            }
            assert_eq!(run.finish()?, mode);
            let steps = if zeroed { 4.0 } else { 11.0 };
            assert_eq!(world.value(&y)?, steps * factors[0]);
            graphs.push(sequence.counts().graphs);
        }
        assert_eq!(graphs, [4, 5, 5, 5]);
        Ok(())
    })
}

fn given_up() -> Outcome {
    let world = World::new()?;
    for is_tracked in [false, true] {
        let work = || {
            let (mut sequence, mut next) = (four(&world), four(&world));
            for steps in 0..12 {
                let x = Arc::new(world.slice(1.0)?);
                let (run, mut y) = begin(&mut sequence, &x)?;
                add(&world, &run, &vec![1.0; steps], &x, &mut y)?;
                let weak = Arc::downgrade(&x);
                drop((x, run));
                assert_eq!(weak.strong_count(), 0);
                // With cudarc's events, memory of a sequence waits for the end of the run.
                let enqueued = if is_tracked { 0 } else { steps / 4 * 4 };
                if steps >= 4 && !is_tracked {
                    assert_eq!(world.value(&y)?, enqueued as f32);
                }
                // The memory of the values is used again.
                let x = Arc::new(world.slice(1.0)?);
                let (run, mut z) = begin(&mut next, &x)?;
                add(&world, &run, &[1.0; 5], &x, &mut z)?;
                run.finish()?;
                assert_eq!(world.value(&z)?, 5.0);
            }
            assert_eq!(sequence.counts().built, 0);
            Ok(())
        };
        if is_tracked { work()? } else { untracked(&world, work)? }
    }
    Ok(())
}

fn late() -> Outcome {
    let world = World::new()?;
    let (x, mut y, mut sequence) = (world.slice(1.0)?, world.slice(0.0)?, four(&world));
    for run in 1..4 {
        let outcome = sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            (0..10).try_for_each(|_| world.saxpy(1.0, x, &mut y, s))?;
            if run == 2 { Err(kernel_args::Error::NoDriver) } else { Ok(()) }
        });
        assert_eq!(outcome.is_err(), run == 2);
        assert_eq!(world.value(&y)?, [10.0, 10.0, 20.0][run - 1]);
    }
    // The sequence keeps its memory, so the values are kept for the captured graph.
    untracked(&world, || {
        let kept = Arc::new(world.slice(0.0)?);
        let graph = |sequence: &mut Sequence| {
            let run = sequence.begin()?;
            // SAFETY: the slices are allocated when the graph is launched.
            unsafe { run.assume_all_held()? };
            (0..10).try_for_each(|_| world.saxpy(1.0, &x, &mut &mut y, &run))?;
            run.keep(kept)?;
            run.finish()
        };
        world.ctx.synchronize()?;
        world.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
        let mode = graph(&mut sequence);
        let captured = world.stream.end_capture(CUgraphInstantiate_flags(0))?.ok_or("a graph")?;
        assert!(matches!(mode?, RunMode::Plain(_)));
        assert_eq!(world.value(&y)?, 20.0);
        captured.launch()?;
        assert_eq!(world.value(&y)?, 30.0);
        Ok(())
    })
}

fn captured() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let (mut sequence, x) = (four(&world), Arc::new(world.slice(1.0)?));
        let (run, mut y) = begin(&mut sequence, &x)?;
        add(&world, &run, &[1.0; 6], &x, &mut y)?;
        world.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
        let added = add(&world, &run, &[1.0; 6], &x, &mut y);
        let outcome = run.finish();
        drop(world.stream.end_capture(CUgraphInstantiate_flags(0))?);
        added?;
        says(outcome, &["the run of a sequence was not recorded", "first steps of the run were enqueued"])?;
        assert_eq!(world.value(&y)?, 4.0);
        let (run, mut y) = begin(&mut sequence, &x)?;
        add(&world, &run, &[1.0; 6], &x, &mut y)?;
        run.finish()?;
        assert_eq!(world.value(&y)?, 6.0);
        Ok(())
    })
}

fn between() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let (mut sequence, x) = (four(&world), Arc::new(world.slice(1.0)?));
        for _ in 0..3 {
            let (run, mut y) = begin(&mut sequence, &x)?;
            add(&world, &run, &[1.0; 6], &x, &mut y)?;
            world.stream.memset_zeros(&mut *y)?;
            add(&world, &run, &[1.0; 6], &x, &mut y)?;
            run.finish()?;
            // Four steps ran before the memset.
            assert_eq!(world.value(&y)?, 8.0);
        }
        Ok(())
    })
}

/// Reports its slice in the first calls only.
struct Forgets(Arc<CudaSlice<f32>>, AtomicUsize, usize);

impl Keep for Forgets {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        if self.1.fetch_add(1, Ordering::Relaxed) < self.2 {
            memory.add(&*self.0);
        }
    }
}

fn lies() -> Outcome {
    let world = World::new()?;
    let (mut sequence, x) = (four(&world), Arc::new(world.slice(1.0)?));
    let mut y = world.slice(0.0)?;
    // It is called when it is kept, before its first segment, and at the end of the run.
    for calls in 1..4 {
        world.stream.memset_zeros(&mut y)?;
        let run = sequence.begin()?;
        // SAFETY: the slice outlives the run.
        unsafe { run.assume_held(crate::sequences::stored::memory(&y))? };
        run.keep(Forgets(x.clone(), AtomicUsize::new(0), calls))?;
        (0..11).try_for_each(|_| world.saxpy(1.0, &x, &mut &mut y, &run))?;
        let outcome = run.finish();
        assert_eq!(world.value(&y)?, [0.0, 9.0, 11.0][calls - 1]);
        if calls < 3 {
            says(outcome, &["does not report a slice"])?;
        } else {
            outcome?;
        }
        assert_eq!(Arc::strong_count(&x), 1);
    }
    Ok(())
}

fn fails() -> Outcome {
    let control = Control::attach().ok_or("the test driver")?;
    let world = World::new()?;
    untracked(&world, || {
        for spared in 0..3 {
            let (mut sequence, x) = (four(&world), Arc::new(world.slice(1.0)?));
            for fails in [false, true, false] {
                let (run, mut y) = begin(&mut sequence, &x)?;
                if fails {
                    control.fail_after("cuGraphLaunch", 2, spared);
                }
                let added = add(&world, &run, &[1.0; 11], &x, &mut y);
                let outcome = run.finish();
                control.clear_failures();
                added?;
                assert_eq!(outcome.is_err(), fails);
                // The first segment was enqueued before.
                let steps = if fails { spared * 4 } else { 11 };
                assert_eq!(world.value(&y)?, steps as f32);
            }
        }
        Ok(())
    })
}
