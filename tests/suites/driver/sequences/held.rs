//! The memory that a run holds.

use crate::sequences::world::{N, Outcome, SAXPY, Saxpy, World, new_sequence, says, trial};
use cudarc::driver::{CudaView, CudaViewMut};
use kernel_args::{Error, Kernel, KernelArgs, launch, sequence::RunMode};
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::mem;

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("a_slice_that_is_not_held_is_refused", not_held),
        trial("a_slice_of_another_context_is_refused", other_context),
        trial("a_replaced_slice_is_refused", replaced),
        trial("slices_that_are_exchanged_are_used_where_they_are", exchanged),
        trial("views_of_held_slices_are_recorded", views),
        trial("freed_memory_is_not_used", freed),
    ]
}

fn not_held() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let outcome = sequence.run(|s| {
        let mut y = s.hold(&mut y)?;
        let other = world.slice(2.0).expect("memory");
        world.saxpy(1.0, &other, &mut y, s)
    });
    says(outcome, &["kernel `saxpy`", "`x`", "s.hold(&x)"])?;
    let outcome = sequence.run(|s| {
        let x = s.hold(&x)?;
        let mut other = world.slice(2.0).expect("memory");
        world.saxpy(1.0, x, &mut &mut other, s)
    });
    says(outcome, &["kernel `saxpy`", "`y`", "let mut y = s.hold(&mut y)?;"])?;
    let outcome = sequence.run(|s| s.memset_zeros(&mut world.slice(2.0).expect("memory")));
    says(outcome, &["memset_zeros", "`slice`"])?;
    // A slice that an earlier run held is not held by this run.
    sequence.run(|s| {
        let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
        world.saxpy(1.0, x, &mut y, s)
    })?;
    let outcome = sequence.run(|s| {
        let mut y = s.hold(&mut y)?;
        world.saxpy(1.0, &x, &mut y, s)
    });
    says(outcome, &["`x`"])?;
    assert_eq!(world.value(&y)?, 1.0);
    Ok(())
}

fn other_context() -> Outcome {
    use kernel_args::context::{ContextFlags, create_context};
    let world = World::new()?;
    let mut y = world.slice(0.0)?;
    let other = create_context(world.ctx.ordinal(), ContextFlags::new())?;
    let theirs = other.new_stream()?.clone_htod(&[1.0_f32; N as usize])?;
    let kernel: Kernel<Saxpy<'_>> = Kernel::from_image(&other, SAXPY, "saxpy")?;
    let mut sequence = new_sequence(&world.stream);
    let outcome = sequence.run(|s| s.hold(&theirs).map(drop));
    says(outcome, &["the slice belongs to a different context"])?;
    let x = world.slice(1.0)?;
    let outcome = sequence.run(|s| {
        let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
        world.saxpy(1.0, x, &mut y, s)?;
        let args = Saxpy { n: N, alpha: 1.0, x, y: &mut y };
        // SAFETY: each slice has `N` elements.
        unsafe { launch!(kernel, 1, N, args, stream = s) }
    });
    says(outcome, &["context"])?;
    assert_eq!(world.value(&y)?, 0.0);
    Ok(())
}

fn replaced() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let outcome = sequence.run(|s| {
        let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
        world.saxpy(1.0, x, &mut y, s)?;
        drop(mem::replace(&mut *y, world.slice(5.0).expect("memory")));
        Ok(())
    });
    says(outcome, &["was not enqueued", "replaced"])?;
    assert_eq!(world.value(&y)?, 5.0);
    let (mut kept, mut spare) = (world.slice(0.0)?, world.slice(7.0)?);
    // The slice that was held is still allocated, but the run does not know that.
    let outcome = sequence.run(|s| {
        let (x, mut y) = (s.hold(&x)?, s.hold(&mut kept)?);
        world.saxpy(1.0, x, &mut y, s)?;
        mem::swap(&mut *y, &mut spare);
        Ok(())
    });
    says(outcome, &["replaced"])?;
    Ok(())
}

fn exchanged() -> Outcome {
    let world = World::new()?;
    for swaps in 0..4 {
        let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(0.0)?);
        let mut sequence = new_sequence(&world.stream);
        let mut expected = [0.0, 0.0];
        for run in 0..3 {
            sequence.run(|s| {
                let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
                for swap in 0..swaps {
                    world.saxpy(1.0 + swap as f32, x, &mut y, s)?;
                    if run == 1 {
                        mem::swap(&mut y, &mut z);
                    } else {
                        mem::swap(&mut *y, &mut *z);
                    }
                }
                world.saxpy(10.0, x, &mut y, s)
            })?;
            for swap in 0..swaps {
                expected[0] += 1.0 + swap as f32;
                expected.swap(0, 1);
            }
            expected[0] += 10.0;
            if run == 1 && swaps % 2 == 1 {
                // The variables were exchanged in the closure only.
                expected.swap(0, 1);
            }
            let found = [world.value(&y)?, world.value(&z)?];
            assert_eq!(found, expected, "{swaps} swaps, run {run}");
        }
    }
    Ok(())
}

#[derive(KernelArgs)]
struct Views<'a> {
    n: u32,
    alpha: f32,
    x: CudaView<'a, f32>,
    y: CudaViewMut<'a, f32>,
}

fn views() -> Outcome {
    let world = World::new()?;
    let kernel: Kernel<Views<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    let half = N / 2;
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let args = Views { n: half, alpha: 3.0, x: x.slice(..half as usize), y: y.slice_mut(half as usize..) };
            // SAFETY: each view has `half` elements.
            unsafe { launch!(kernel, 1, N, args, stream = s) }
        })?;
        let values = world.stream.clone_dtoh(&y)?;
        let (first, second) = values.split_at(half as usize);
        assert!(first.iter().all(|value| *value == 0.0), "{values:?}");
        assert!(second.iter().all(|value| *value == 3.0 * run as f32), "{values:?}");
        assert_eq!(*sequence.mode() == RunMode::Built, run == 1);
    }
    let outcome = sequence.run(|s| {
        let mut y = s.hold(&mut y)?;
        let other = world.slice(1.0).expect("memory");
        let args = Views { n: half, alpha: 1.0, x: other.slice(..), y: y.slice_mut(..) };
        // SAFETY: each view has `half` elements.
        unsafe { launch!(kernel, 1, N, args, stream = s) }
    });
    says(outcome, &["`x`"])
}

/// The test driver reports a kernel that uses freed memory.
fn freed() -> Outcome {
    let world = World::new()?;
    let mut sequence = new_sequence(&world.stream);
    for run in 0..20 {
        let (x, mut y) = (world.slice(run as f32)?, world.slice(1.0)?);
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            world.saxpy(1.0, x, &mut y, s)
        })?;
        drop(x);
        assert_eq!(world.value(&y)?, 1.0 + 2.0 * run as f32);
    }
    world.ctx.synchronize()?;
    let failed = sequence.run::<()>(|_| Err(Error::NoDriver));
    assert!(failed.is_err());
    Ok(())
}
