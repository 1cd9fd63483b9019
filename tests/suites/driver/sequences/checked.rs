//! The check of runs: work of other code on the stream of a run that records.

use crate::sequences::{
    external::{FEW, Library, axpy},
    world::{N, Outcome, World, says, trial, untracked},
};
use kernel_args::{
    graph::run_now,
    sequence::{RunMode, Sequence},
};
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{env, process::Command, sync::Arc};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("a_checked_run_finds_the_work_of_other_code", found),
        trial("a_checked_run_is_a_run", right),
        trial("a_checked_run_finds_a_synchronization", synchronized),
        trial("a_checked_run_that_is_given_up_ends_its_capture", given_up),
        trial("a_variable_checks_all_sequences", by_variable),
    ]
}

const LEN: usize = N as usize;

fn found() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let (x, mut z, library) = (Arc::new(world.slice(1.0)?), world.slice(5.0)?, Library::new(&world)?);
        let mut sequence = Sequence::new(&world.stream).check(true);
        for round in 0..3 {
            let run = sequence.begin()?;
            world.stream.memset_zeros(&mut z)?;
            run.keep(x.clone())?;
            let mut y = run.alloc_zeros::<f32>(LEN)?;
            world.stream.memcpy_dtod(&*x, &mut z)?;
            world.stream.memcpy_dtod(&*x, &mut z)?;
            world.saxpy(1.0, &x, &mut y, &run)?;
            // Each kind of call of the run.
            if round == 1 {
                drop(run.alloc_zeros::<f32>(4)?);
            }
            run_now(|| world.saxpy(1.0, &x, &mut &mut z, &world.stream))?;
            run.keep(x.clone())?;
            run_now(|| run_now(|| world.stream.memset_zeros(&mut z)))?;
            // Raw calls of the driver, as in a library.
            // SAFETY: the slices have `N` elements.
            unsafe { library.axpy(FEW, 1.0, &*x, &mut z)? };
            let outcome = run.finish();
            let words = [
                "was not enqueued",
                "1 × memset, before step 1",
                "2 × copy, between step 1 and step 2",
                if round == 1 {
                    "1 × launch of a kernel, between step 3"
                } else {
                    "1 × launch of a kernel, between step 2"
                },
                "help:",
            ];
            assert!(outcome.as_ref().is_err_and(|error| error.to_string().matches('×').count() == 3));
            says(outcome, &words)?;
            // What is meant to run now has run.
            assert_eq!(world.value(&z)?, 0.0);
            world.stream.memcpy_htod(&[5.0; LEN], &mut z)?;
        }
        assert_eq!(sequence.counts().segments, 0);
        Ok(())
    })
}

fn right() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let (x, library) = (Arc::new(world.slice(1.0)?), Library::new(&world)?);
        for way in 0..4 {
            let sequence =
                if way < 2 { Sequence::new(&world.stream) } else { Sequence::new(&world.stream).segments(2) };
            let mut sequence = sequence.check(way % 2 == 0);
            for alpha in [1.0, 1.0, 3.0] {
                let step = |run: &kernel_args::sequence::Run| {
                    run.keep(x.clone())?;
                    let mut y = run.clone_htod(&[alpha; LEN])?;
                    axpy(run, &library, N, alpha, &x, &mut y)?;
                    world.saxpy(alpha, &x, &mut y, run)?;
                    let mut z = run.alloc_zeros::<f32>(LEN)?;
                    run.memcpy_dtod(&y, &mut z)?;
                    run.clone_dtoh(&z)
                };
                let run = sequence.begin()?;
                let copy = step(&run)?;
                let mode = run.finish()?;
                assert!(!matches!(mode, RunMode::Plain(_)));
                assert_eq!(copy.wait()?, [3.0 * alpha; LEN]);
                let copy = sequence.run(|s| step(s))?;
                assert_eq!(*sequence.mode(), RunMode::Updated(0));
                assert_eq!(copy.wait()?, [3.0 * alpha; LEN]);
            }
        }
        Ok(())
    })
}

fn synchronized() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let x = Arc::new(world.slice(1.0)?);
        let mut sequence = Sequence::new(&world.stream).check(true);
        for _ in 0..2 {
            let run = sequence.begin()?;
            run.keep(x.clone())?;
            let mut y = run.alloc_zeros::<f32>(LEN)?;
            assert!(world.stream.synchronize().is_err());
            world.saxpy(1.0, &x, &mut y, &run)?;
            says(run.finish(), &["1 × synchronization", "between step 1 and step 2"])?;
            world.stream.synchronize()?;
        }
        Ok(world.ctx.check_err()?)
    })
}

fn given_up() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let mut sequence = Sequence::new(&world.stream).check(true);
        drop(sequence.begin()?);
        world.stream.synchronize()?;
        let run = sequence.begin()?;
        drop(run.alloc_zeros::<f32>(LEN)?);
        drop(run);
        world.stream.synchronize()?;
        assert_eq!(sequence.counts().given_up, 2);
        Ok(())
    })
}

fn by_variable() -> Outcome {
    const VARIABLE: &str = "KERNEL_ARGS_CHECK_SEQUENCES";
    if env::var_os(VARIABLE).is_none() {
        let name = "a_variable_checks_all_sequences";
        let output = Command::new(env::current_exe()?).env(VARIABLE, "1").arg(name).output()?;
        let text = String::from_utf8(output.stdout)?;
        assert!(output.status.success() && text.contains("3 passed"), "{text}");
        return Ok(());
    }
    let world = World::new()?;
    untracked(&world, || {
        let (mut y, mut sequence) = (world.slice(1.0)?, Sequence::new(&world.stream));
        let run = sequence.begin()?;
        world.stream.memset_zeros(&mut y)?;
        says(run.finish(), &["1 × memset, before step 1"])
    })
}
