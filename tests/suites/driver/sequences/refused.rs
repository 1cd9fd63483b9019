//! What the driver refuses: each call of a run fails once. The run is then an error or a run of plain launches, and the
//! next run has the right result.

use crate::sequences::{
    external::{Library, axpy},
    world::{N, Outcome, World, new_sequence, trial_unless},
};
use cudarc::driver::{CudaSlice, sys::CUstreamCaptureStatus};
use kernel_args::{
    Error,
    graph::Graph,
    sequence::{Handle, RunMode, Sequence, WhyPlain},
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let why = driver.is_real().then_some("this machine has its own GPU");
    vec![
        trial_unless(why, "each_driver_call_fails_once", each_call),
        trial_unless(why, "each_driver_call_of_an_engine_fails_once", each_call_of_an_engine),
        trial_unless(why, "a_graph_that_is_refused_becomes_plain_launches", refused),
        trial_unless(why, "a_node_that_cannot_be_updated_becomes_a_new_graph", not_updated),
    ]
}

/// `CUDA_ERROR_OUT_OF_MEMORY`, which is not remembered by the context.
const CODE: u32 = 2;

/// `y += (2 + factor) * x`, in a new graph, an equal one or an updated one.
fn run(
    world: &World,
    sequence: &mut Sequence,
    factor: f32,
    x: &CudaSlice<f32>,
    y: &mut CudaSlice<f32>,
) -> Result<RunMode, Error> {
    sequence.run(|s| {
        let (x, mut y) = (s.hold(x)?, s.hold(y)?);
        world.saxpy(2.0, x, &mut y, s)?;
        world.saxpy(factor, x, &mut y, s)
    })?;
    Ok(sequence.mode().clone())
}

/// The factors of the runs. The failure is in the last one.
const RUNS: [(&str, &[f32]); 3] = [("a new graph", &[1.0]), ("an equal run", &[1.0, 1.0]), ("an update", &[1.0, 3.0])];

fn each_call() -> Outcome {
    let control = Control::attach().ok_or("the test driver")?;
    let mut failures = 0;
    for (name, factors) in RUNS {
        let (last, first) = factors.split_last().ok_or("a run")?;
        // The calls of the run, without failures.
        let called = {
            let world = World::new()?;
            let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
            let mut sequence = new_sequence(&world.stream);
            for factor in first {
                run(&world, &mut sequence, *factor, &x, &mut y)?;
            }
            control.reset_calls();
            run(&world, &mut sequence, *last, &x, &mut y)?;
            control.called()
        };
        for (entry, calls) in called {
            for spared in 0..calls {
                let world = World::new()?;
                let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
                let mut sequence = new_sequence(&world.stream);
                for factor in first {
                    run(&world, &mut sequence, *factor, &x, &mut y)?;
                }
                control.fail_after(&entry, CODE, spared);
                let failed = run(&world, &mut sequence, *last, &x, &mut y);
                control.clear_failures();
                // An error of a record stays in the context until the next call of cudarc.
                let _ = world.ctx.check_err();
                let before: f32 = first.iter().map(|factor| 2.0 + factor).sum();
                let what = format!("{name}: call {spared} of {entry}: {failed:?}");
                let found = world.value(&y)?;
                let expected = before + 2.0 + last;
                if failed.is_ok() && found != expected {
                    return Err(format!("{what}: {found} instead of {expected}").into());
                }
                run(&world, &mut sequence, 5.0, &x, &mut y).map_err(|error| format!("{what}, then {error}"))?;
                let after = world.value(&y)?;
                if after != found + 7.0 {
                    return Err(format!("{what}, then {after} instead of {}", found + 7.0).into());
                }
                failures += 1;
            }
        }
    }
    println!("{failures} failures");
    // Without events, nothing waits or is recorded.
    assert!(failures > 20);
    Ok(())
}

/// A step of an engine: a kept value, allocations, copies, a memset, launches and external work. Each element of its
/// result is `2 * input + alpha * (2 * input + 3)`.
fn step(
    world: &World,
    sequence: &mut Sequence,
    library: &Handle<Library>,
    weights: &Arc<CudaSlice<f32>>,
    [input, alpha]: [f32; 2],
) -> Result<Vec<f32>, Error> {
    let run = sequence.begin()?;
    run.keep(weights.clone())?;
    let x = run.clone_htod(&[input; N as usize])?;
    let mut y = run.alloc_zeros::<f32>(N as usize)?;
    world.saxpy(2.0, &x, &mut y, &run)?;
    // SAFETY: the copy writes all elements.
    let mut part = unsafe { run.alloc::<f32>(N as usize)? };
    run.memcpy_dtod(&y, &mut part)?;
    axpy(&run, library, N, 3.0, weights, &mut part)?;
    axpy(&run, library, N, alpha, &part, &mut y)?;
    drop(part);
    let copy = run.clone_dtoh(&y)?;
    run.finish()?;
    copy.wait()
}

/// The inputs of the steps. The failure is in the last one.
const STEPS: [(&str, &[[f32; 2]]); 3] =
    [("a new graph", &[[1.0, 1.0]]), ("an equal step", &[[1.0, 1.0]; 2]), ("an update", &[[1.0, 1.0], [2.0, 3.0]])];

/// Calls whose failure leaves objects: they release one, or show that nothing uses it any more.
const RELEASING: [&str; 4] = ["cuMemFree", "Destroy", "cuModuleUnload", "cuEventSynchronize"];

fn each_call_of_an_engine() -> Outcome {
    let control = Control::attach().ok_or("the test driver")?;
    let mut outcomes = [0; 2];
    for (name, inputs) in STEPS {
        let (last, first) = inputs.split_last().ok_or("a step")?;
        // Which call fails, or the calls of the last step.
        let mut steps = |failing: Option<(&str, u64)>| -> Outcome<BTreeMap<String, u64>> {
            let what = format!("{name}: {failing:?}");
            let world = World::new()?;
            let (weights, library) = (Arc::new(world.slice(1.0)?), Library::new(&world)?);
            let mut sequence = new_sequence(&world.stream);
            let mut next = |input| step(&world, &mut sequence, &library, &weights, input);
            let expected = |[input, alpha]: [f32; 2]| vec![2.0 * input + alpha * (2.0 * input + 3.0); N as usize];
            for input in first {
                assert_eq!(next(*input)?, expected(*input));
            }
            control.reset_calls();
            if let Some((entry, spared)) = failing {
                control.fail_after(entry, CODE, spared);
            }
            let found = catch_unwind(AssertUnwindSafe(|| next(*last)));
            control.clear_failures();
            let called = control.called();
            let _ = world.ctx.check_err();
            let found = found.map_err(|_| format!("{what}: a panic"))?;
            if found.as_ref().is_ok_and(|found| *found != expected(*last)) {
                return Err(format!("{what}: {found:?}").into());
            }
            let status = world.stream.capture_status()?;
            assert_eq!(status, CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE, "{what}");
            for input in [[5.0, 1.0], *last] {
                let after = next(input).map_err(|error| format!("{what}: {found:?}, then {error}"))?;
                assert_eq!(after, expected(input), "{what}");
            }
            assert_eq!(sequence.memory_use().used, 0, "{what}");
            outcomes[usize::from(found.is_err())] += 1;
            Ok(called)
        };
        for (entry, calls) in steps(None)? {
            for spared in 0..calls {
                let live = || {
                    Graph::wait_until_released();
                    control.live()
                };
                let before = live();
                steps(Some((&entry, spared)))?;
                let after = live();
                if before != after && !RELEASING.iter().any(|part| entry.contains(part)) {
                    return Err(format!("{name}: call {spared} of {entry}: {before:?}, then {after:?}").into());
                }
            }
        }
    }
    println!("{outcomes:?} steps with a result and with an error");
    assert!(outcomes.iter().all(|count| *count > 10));
    Ok(())
}

fn refused() -> Outcome {
    let control = Control::attach().ok_or("the test driver")?;
    let world = World::new()?;
    let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
    for entry in ["cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags"] {
        let mut sequence = new_sequence(&world.stream);
        control.fail_once(entry, CODE);
        let mode = run(&world, &mut sequence, 1.0, &x, &mut y)?;
        let RunMode::Plain(WhyPlain::Refused(reason)) = mode else {
            return Err(format!("{entry}: {mode:?}").into());
        };
        assert!(reason.contains(entry), "{reason}");
        assert_eq!(run(&world, &mut sequence, 1.0, &x, &mut y)?, RunMode::Built);
    }
    assert_eq!(world.value(&y)?, 18.0);
    Ok(())
}

fn not_updated() -> Outcome {
    let control = Control::attach().ok_or("the test driver")?;
    let (world, x, mut y, mut sequence) = World::begin()?;
    assert_eq!(run(&world, &mut sequence, 1.0, &x, &mut y)?, RunMode::Built);
    control.fail_once("cuGraphExecKernelNodeSetParams_v2", 1);
    assert_eq!(run(&world, &mut sequence, 3.0, &x, &mut y)?, RunMode::Built);
    assert_eq!(run(&world, &mut sequence, 4.0, &x, &mut y)?, RunMode::Updated(1));
    assert_eq!(world.value(&y)?, 14.0);
    Ok(())
}
