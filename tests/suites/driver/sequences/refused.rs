//! What the driver refuses: each call of a run fails once. The run is then an error or a run of plain launches, and the next run has the
//! right result.

use crate::sequences::world::{Outcome, World};
use cudarc::driver::CudaSlice;
use kernel_args::{
    Error,
    sequence::{RunMode, Sequence, WhyPlain},
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, trial_unless};
use libtest_mimic::Trial;

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let why = driver.is_real().then_some("this machine has its own GPU");
    vec![
        trial_unless(why, "each_driver_call_fails_once", each_call),
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
            let mut sequence = Sequence::new(&world.stream);
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
                let mut sequence = Sequence::new(&world.stream);
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
    assert!(failures > 30);
    Ok(())
}

fn refused() -> Outcome {
    let control = Control::attach().ok_or("the test driver")?;
    let world = World::new()?;
    let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
    for entry in ["cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags"] {
        let mut sequence = Sequence::new(&world.stream);
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
