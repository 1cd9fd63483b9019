//! Launchers in a sequence: their work is captured once, and is part of the graph of the run.

use super::{
    Outcome,
    functions::{Between, Memory, N, OnDefault, Returns, ReturnsUnsigned, Saxpy, calls, ffi, load},
};
use cudarc::driver::CudaSlice;
use kernel_args::{
    Error, Kernel,
    context::{ContextFlags, create_context},
    error::{LaunchError, RunError},
    launch,
    observe::{self, Event, Observer},
    sequence::{RunMode, Sequence},
};
use kernel_args_tests::{
    driver::{context, device, trial},
    saxpy::{self as plain, SAXPY},
    values::{Draw, Source},
};
use libtest_mimic::Trial;
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// Only a launcher with an argument that changes is called again, and changes one node.
fn equal_calls() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    let mut sequence = Sequence::new(&stream);
    let mut sum = 0.0;
    calls();
    for (changing, expected, mode) in [
        (1.0, 2, RunMode::Built),
        (1.0, 0, RunMode::Updated(0)),
        (5.0, 1, RunMode::Updated(1)),
        (5.0, 0, RunMode::Updated(0)),
        (1.0, 0, RunMode::Updated(1)),
    ] {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&memory.x)?, s.hold(&mut memory.y)?);
            // SAFETY: both slices have `N` elements, here and below.
            unsafe { launch!(ffi::saxpy, Saxpy { n: N, alpha: changing, x, y: &mut y }, stream = s)? };
            // SAFETY: the same.
            unsafe { launch!(ffi::saxpy_between, Between { n: N, alpha: 2.0, x, y: &mut y }, stream = s) }
        })?;
        sum += changing + 2.0;
        assert_eq!((calls().0, sequence.mode()), (expected, &mode), "{changing}");
        memory.is_added(sum)?;
    }
    Ok(())
}

/// Random runs of kernels and launchers, compared with a model.
#[allow(clippy::many_single_char_names, reason = "the names of the parameters")]
fn random(seed: u64) -> Outcome {
    const SLICES: usize = 3;
    let from = &mut Source::new(seed);
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let kernel = Kernel::<plain::Saxpy>::from_image(&ctx, SAXPY, "saxpy")?;
    let x = stream.clone_htod(&vec![1.0; N as usize])?;
    let slices = (0..SLICES).map(|_| stream.alloc_zeros(N as usize)).collect::<Result<Vec<CudaSlice<f32>>, _>>()?;
    let (mut slices, mut model, mut known): ([_; SLICES], _, _) =
        (slices.try_into().map_err(|_| "slices")?, [0.0; SLICES], BTreeSet::new());
    let mut sequence = Sequence::new(&stream);
    if seed % 2 == 1 {
        // SAFETY: the steps use the memory of their arguments only.
        sequence = unsafe { sequence.parallel() };
    }
    calls();
    let mut choose = |most: u8| u8::draw(from) % most;
    let mut steps: Vec<(u8, u8, u8)> = Vec::new();
    for run in 0..20 {
        // Most runs repeat the previous one, or change one step.
        match choose(3) {
            0 if run > 0 => {}
            1 if run > 0 => steps[0].1 = choose(4),
            _ => steps = (0..=choose(6)).map(|_| (choose(3), choose(4), choose(SLICES as u8))).collect(),
        }
        let new = steps.iter().filter(|(kind, alpha, at)| *kind > 0 && known.insert((*kind, *alpha, *at))).count();
        sequence.run(|s| {
            let x = s.hold(&x)?;
            let [a, b, c] = &mut slices;
            let mut held = [s.hold(a)?, s.hold(b)?, s.hold(c)?];
            for (kind, alpha, at) in &steps {
                let (n, alpha, y) = (N, f32::from(*alpha), &mut *held[usize::from(*at)]);
                match kind {
                    // SAFETY: all slices have `N` elements.
                    0 => unsafe { launch!(kernel, n.div_ceil(128), 128, plain::Saxpy { n, alpha, x, y }, stream = s)? },
                    // SAFETY: the same.
                    1 => unsafe { launch!(ffi::saxpy, Saxpy { n, alpha, x, y }, stream = s)? },
                    // SAFETY: the same.
                    _ => unsafe { launch!(ffi::saxpy_between, Between { n, alpha, x, y }, stream = s)? },
                }
            }
            Ok(())
        })?;
        for (_, alpha, at) in &steps {
            model[usize::from(*at)] += f32::from(*alpha);
        }
        assert_eq!(calls().0 as usize, new, "seed {seed}, run {run}: {steps:?}");
        for (slice, value) in slices.iter().zip(model) {
            let values = stream.clone_dtoh(slice)?;
            assert!(values.iter().all(|one| *one == value), "seed {seed}, run {run}: {} is not {value}", values[0]);
        }
    }
    Ok(())
}

/// A launcher that fails or enqueues nothing, and a run that goes on after an error.
fn errors() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    let other = stream.clone_htod(&vec![1.0; N as usize])?;
    let own = create_context(device(), ContextFlags::new())?;
    let foreign = own.default_stream().clone_htod(&vec![1.0; N as usize])?;
    let mut sequence = Sequence::new(&stream);
    calls();
    for run in 1..4_u8 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&memory.x)?, s.hold(&mut memory.y)?);
            // SAFETY: the functions launch nothing, here and below.
            let failed = unsafe { launch!(ffi::returns, Returns { code: 9 }, stream = s) };
            assert!(matches!(failed, Err(Error::Launch(LaunchError::Launcher(_)))), "{failed:?}");
            // SAFETY: the same.
            unsafe { launch!(ffi::returns_unsigned, ReturnsUnsigned { code: 0 }, stream = s)? };
            // SAFETY: nothing is called, here and below.
            let not_held = unsafe { launch!(ffi::saxpy, Saxpy { n: N, alpha: 1.0, x: &other, y: &mut y }, stream = s) };
            let text = not_held.map_or_else(|error| error.to_string(), |()| String::new());
            assert!(text.contains("`saxpy` was not launched") && text.contains("memory of `x`"), "{text}");
            // SAFETY: the same.
            let of_own = unsafe { launch!(ffi::saxpy, Saxpy { n: N, alpha: 1.0, x: &foreign, y: &mut y }, stream = s) };
            let text = of_own.map_or_else(|error| error.to_string(), |()| String::new());
            assert!(text.contains("`saxpy` was not launched") && text.contains("memory of `x`"), "{text}");
            // SAFETY: the same.
            let long = unsafe { launch!(ffi::saxpy, Saxpy { n: N + 1, alpha: 1.0, x, y: &mut y }, stream = s) };
            assert!(matches!(long, Err(Error::Launch(LaunchError::Contract(_)))), "{long:?}");
            // SAFETY: the same.
            let outside =
                unsafe { launch!(ffi::saxpy_default, OnDefault { n: 0, x: None, y: None }, default_stream = true) };
            assert!(matches!(outside, Err(Error::Run(RunError::Outside { .. }))), "{outside:?}");
            // SAFETY: both slices have `N` elements.
            unsafe { launch!(ffi::saxpy, Saxpy { n: N, alpha: 2.0, x, y: &mut y }, stream = s) }
        })?;
        // A call that has failed is not remembered.
        assert_eq!(calls().0, if run == 1 { 2 } else { 1 });
        memory.is_added(2.0 * f32::from(run))?;
    }
    Ok(())
}

/// A run that is stored, and observed.
fn stored() -> Outcome {
    #[derive(Clone, Default)]
    struct Counts(Arc<AtomicUsize>);

    impl Observer for Counts {
        fn before(&self, event: &Event<'_>) {
            if let Event::LauncherCall(launcher) = event {
                assert!(launcher.is_recorded() && launcher.name() == "saxpy" && launcher.stream().is_some());
                self.0.fetch_add(1, Relaxed);
            }
        }
    }

    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    let mut sequence = Sequence::new(&stream);
    let counts = Counts::default();
    let installed = observe::install(counts.clone());
    calls();
    for run_number in 1..4_u8 {
        let run = sequence.begin()?;
        // SAFETY: the memory exists until the end.
        unsafe { run.assume_all_held()? };
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(ffi::saxpy, memory.args(3.0), stream = &run)? };
        run.finish()?;
        assert_eq!(calls().0, u32::from(run_number == 1));
        memory.is_added(3.0 * f32::from(run_number))?;
    }
    // Each call is an event, also if the function is not called again.
    assert_eq!(counts.0.load(Relaxed), 3);
    assert!(installed.take_panic().is_none());
    Ok(())
}

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("equal_calls_in_a_sequence_are_captured_once", equal_calls),
        trial("random_runs_of_kernels_and_launchers", || (0..20).try_for_each(random)),
        trial("errors_of_launchers_in_a_sequence", errors),
        trial("a_launcher_in_a_stored_run", stored),
    ]
}
