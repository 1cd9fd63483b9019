//! Copies from and to the host in a run, and the choice of a graph.

use crate::sequences::world::{N, Outcome, World, external, new_sequence, says, trial};
use kernel_args::{
    Error,
    sequence::{Run, RunMode},
};
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("elements_of_the_host_change_no_node", from_host),
        trial("copies_from_the_host_of_any_size", sizes),
        trial("copies_for_the_host_are_read_after_the_run", to_host),
        trial("copies_of_views_are_updated", views),
        trial("a_captured_run_copies_nothing_from_the_host", captured),
        trial("two_buffers_that_alternate_are_two_graphs", alternating),
        trial("a_sequence_counts_its_runs", counts),
    ]
}

const LEN: usize = N as usize;

fn from_host() -> Outcome {
    let (world, _, mut y, mut sequence) = World::begin()?;
    let mut expected = 0.0;
    for run in 0..6 {
        let mut values = vec![run as f32; LEN];
        sequence.run(|s| {
            let mut y = s.hold(&mut y)?;
            let mut x = s.clone_htod(&values)?;
            // The run has its own copy.
            values.fill(100.0);
            world.saxpy(1.0, &x, &mut y, s)?;
            values.fill(10.0 * run as f32);
            s.memcpy_htod(&values, &mut x)?;
            values.fill(100.0);
            world.saxpy(1.0, &x, &mut y, s)
        })?;
        expected += 11.0 * run as f32;
        assert_eq!(world.value(&y)?, expected);
        assert_eq!(*sequence.mode(), if run == 0 { RunMode::Built } else { RunMode::Updated(0) });
    }
    let outcome = sequence.run(|s| s.memcpy_htod(&[0.0; LEN + 1], &mut *s.hold(&mut y)?));
    says(outcome, &["the destination has 32 elements, and the source has 33"])?;
    let outcome = sequence.run(|s| s.memcpy_htod(&[0.0; 4], &mut y));
    says(outcome, &["memcpy_htod", "`to`", "does not hold"])
}

fn sizes() -> Outcome {
    let world = World::new()?;
    let mut sequence = new_sequence(&world.stream);
    for round in 0..3_u8 {
        let sizes = [0, 1, 3, 255, 256, 1000, 65_536, 65_537, 200_000];
        let run = sequence.begin()?;
        let mut copies = Vec::new();
        for size in sizes {
            let bytes: Vec<u8> = (0..size).map(|byte: u32| (byte as u8).wrapping_mul(7).wrapping_add(round)).collect();
            copies.push((run.clone_dtoh(&run.clone_htod(&bytes)?)?, bytes));
        }
        assert_eq!(run.finish()?, if round == 0 { RunMode::Built } else { RunMode::Updated(0) });
        for (copy, bytes) in copies {
            assert_eq!(copy.wait()?, bytes);
        }
    }
    Ok(())
}

fn to_host() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut late = Vec::new();
    for run in 1..5 {
        let (early, last) = sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            let early = s.clone_dtoh(&y)?;
            world.saxpy(10.0, x, &mut y, s)?;
            Ok((early, s.clone_dtoh(&y.slice(..4))?))
        })?;
        let sum = 11.0 * run as f32;
        assert_eq!(early.wait()?, [sum - 10.0; LEN]);
        late.push((last, sum));
    }
    // Later runs do not change it.
    for (copy, sum) in late {
        assert_eq!(copy.wait()?, [sum; 4]);
    }
    let run = sequence.begin()?;
    let copies = [run.clone_htod(&[1.0_f32])?, run.clone_htod(&[2.0_f32])?].map(|slice| run.clone_dtoh(&slice));
    let [first, second] = copies;
    says(first?.wait(), &["the copy for the host was not recorded", "its run records", "finish"])?;
    drop(run);
    says(second?.wait(), &["given up"])
}

fn views() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for at in 0..4 {
        world.stream.memset_zeros(&mut y)?;
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            s.memcpy_dtod(&x.slice(..8), &mut y.slice_mut(8 * at..8 * at + 8))?;
            s.memset_zeros(&mut y.slice_mut(8 * at..8 * at + 4))
        })?;
        let mut expected = [0.0; LEN];
        expected[8 * at + 4..8 * at + 8].fill(1.0);
        assert_eq!(world.stream.clone_dtoh(&y)?, expected);
        assert_eq!(*sequence.mode(), if at == 0 { RunMode::Built } else { RunMode::Updated(2) });
    }
    Ok(())
}

fn captured() -> Outcome {
    let (world, _, mut y, mut sequence) = World::begin()?;
    sequence.run(|s| s.memcpy_htod(&[1.0; LEN], &mut *s.hold(&mut y)?))?;
    world.ctx.synchronize()?;
    // cudarc's events of slices cannot be part of a capture.
    // SAFETY: everything is on one stream, and the slices stay allocated.
    unsafe { world.ctx.disable_event_tracking() };
    let work = || {
        let outcome = sequence.run(|s| s.memcpy_htod(&[2.0; LEN], &mut *s.hold(&mut y)?));
        says(outcome, &["was not recorded", "its stream is being captured"]).expect("the reason");
        sequence.run(|s| s.memset_zeros(&mut *s.hold(&mut y)?))
    };
    // SAFETY: the same.
    let graph = unsafe { kernel_args::graph::Graph::capture_unretained(&world.stream, work) };
    // SAFETY: the same.
    unsafe { world.ctx.enable_event_tracking() };
    assert_eq!(graph?.nodes()?.len(), 1);
    assert_eq!(world.value(&y)?, 1.0);
    Ok(())
}

/// A step with many launches that reads one buffer and writes another.
fn step(
    world: &World,
    run: &Run,
    [from, to]: [&cudarc::driver::CudaSlice<f32>; 2],
    out: &mut cudarc::driver::CudaSlice<f32>,
) -> Result<(), Error> {
    for step in 0..20 {
        world.add(from, to, &mut &mut *out, run)?;
        world.saxpy(step as f32, from, &mut &mut *out, run)?;
    }
    Ok(())
}

fn alternating() -> Outcome {
    let (world, a, mut out, mut sequence) = World::begin()?;
    let b = world.slice(2.0)?;
    // SAFETY: the slices outlive the runs.
    unsafe { sequence.assume_all_held()? };
    let mut modes = Vec::new();
    for run in 0..8 {
        let buffers = if run % 2 == 0 { [&a, &b] } else { [&b, &a] };
        let recorder = sequence.begin()?;
        step(&world, &recorder, buffers, &mut out)?;
        modes.push(recorder.finish()?);
        // The last step: `a + b + 19 * from`.
        assert_eq!(world.value(&out)?, if run % 2 == 0 { 22.0 } else { 41.0 });
    }
    let expected = [RunMode::Built, RunMode::Updated(40), RunMode::Built];
    assert_eq!(modes[..3], expected);
    assert!(modes[3..].iter().all(|mode| *mode == RunMode::Updated(0)), "{modes:?}");
    // With one graph they are updates.
    let mut sequence = new_sequence(&world.stream).remember(1);
    // SAFETY: the same.
    unsafe { sequence.assume_all_held()? };
    for run in 0..4 {
        let buffers = if run % 2 == 0 { [&a, &b] } else { [&b, &a] };
        let recorder = sequence.begin()?;
        step(&world, &recorder, buffers, &mut out)?;
        assert_eq!(recorder.finish()?, if run == 0 { RunMode::Built } else { RunMode::Updated(40) });
    }
    Ok(())
}

fn counts() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for alpha in [1.0, 1.0, 2.0, 3.0] {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            external(s, (&mut *y, alpha), |stream, (mut y, _)| Ok::<_, Error>(stream.memset_zeros(&mut y)?))?;
            world.saxpy(alpha, x, &mut y, s)
        })?;
    }
    sequence.run(|_| Ok(()))?;
    let counts = sequence.counts();
    let runs = [counts.built, counts.equal, counts.updated, counts.updated_nodes, counts.plain, counts.empty];
    assert_eq!((runs, counts.graphs, counts.captures), ([1, 1, 2, 2, 0, 1], 1, 3));
    Ok(())
}
