//! Attempts to make a run use memory that is freed, with safe code around honest launches.

use crate::sequences::world::{N, Outcome, SAXPY, World, new_sequence, says, trial, wrapped_saxpy};
use cudarc::driver::{CudaContext, CudaSlice, CudaViewMut};
use kernel_args::{
    DevicePointer, Error, Kernel, KernelArg, KernelArgs, Launch, Retained,
    args::{Guard, LaunchStream},
    graph::run_now,
    launch,
    sequence::{Recorder, RunMode, Sequence},
};
use kernel_args_tests::{driver::Driver, saxpy::Owned};
use libtest_mimic::Trial;
use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("an_empty_slice_replaces_no_other_slice", emptied),
        trial("a_slice_that_is_held_twice_can_be_exchanged", held_twice),
        trial("a_held_slice_that_is_forgotten_or_leaked", leaked),
        trial("held_slices_that_move", moved),
        trial("held_views_that_are_exchanged", views),
        trial("unified_memory_is_held", unified),
        trial("a_sequence_in_a_sequence", nested),
        trial("a_launch_that_panics_is_not_recorded", panicking),
        trial("a_launch_in_a_launch_hides_no_mistake", hidden),
        trial("references_that_are_exchanged", exchanged),
        trial("a_launch_that_fails_is_not_recorded", failing),
        trial("arguments_that_wrap_slices", wrapped),
        trial("an_argument_that_launches", launching),
        trial("retained_memory_is_released_after_the_run", retained),
        trial("everything_is_dropped_after_the_run", dropped),
    ]
}

/// The empty slice that `CudaStream::null` creates where the driver allows it.
fn empty(world: &World) -> CudaSlice<f32> {
    // SAFETY: it has no elements, and freeing the null pointer does nothing.
    unsafe { world.stream.upgrade_device_ptr(0, 0) }
}

fn emptied() -> Outcome {
    let world = World::new()?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, empty(&world));
    let mut sequence = new_sequence(&world.stream);
    let outcome = sequence.run(|s| {
        let (x, mut y, _z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
        world.saxpy(1.0, x, &mut y, s)?;
        *y = empty(&world);
        Ok(())
    });
    says(outcome, &["replaced"])
}

/// The slices were exchanged before the launch takes one of the references.
fn exchanged() -> Outcome {
    let world = World::new()?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(5.0)?);
    let mut sequence = new_sequence(&world.stream);
    sequence.run(|s| {
        let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
        let (mut first, second) = (&mut *y, &mut *z);
        mem::swap(first, second);
        world.saxpy(1.0, x, &mut first, s)
    })?;
    assert_eq!((world.value(&y)?, world.value(&z)?), (6.0, 0.0));
    Ok(())
}

fn held_twice() -> Outcome {
    let world = World::new()?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    for _ in 0..2 {
        sequence.run(|s| {
            let (first, second) = (s.hold(&x)?, s.hold(&x)?);
            let (mut y, mut z) = (s.hold(&mut y)?, s.hold(&mut z)?);
            world.saxpy(1.0, first, &mut y, s)?;
            mem::swap(&mut *y, &mut *z);
            world.saxpy(10.0, second, &mut y, s)
        })?;
    }
    assert_eq!((world.value(&y)?, world.value(&z)?), (11.0, 11.0));
    Ok(())
}

fn leaked() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for run in 1..3 {
        sequence.run(|s| {
            let x = s.hold(&x)?;
            let mut held = s.hold(&mut y)?;
            world.saxpy(1.0, x, &mut held, s)?;
            // A reference as long as the run, so the slice can be held again.
            let slice: &mut CudaSlice<f32> = &mut *Box::leak(Box::new(held));
            let mut again = s.hold(slice)?;
            world.saxpy(2.0, x, &mut again, s)?;
            let _ = mem::ManuallyDrop::new(again);
            Ok(())
        })?;
        assert_eq!(world.value(&y)?, 3.0 * run as f32);
    }
    let outcome = sequence.run(|s| {
        let held = s.hold(&mut y)?;
        let slice: &mut CudaSlice<f32> = &mut *Box::leak(Box::new(held));
        let mut again = s.hold(slice)?;
        world.saxpy(1.0, s.hold(&x)?, &mut again, s)?;
        drop(mem::replace(&mut *again, world.slice(0.0).expect("memory")));
        Ok(())
    });
    says(outcome, &["replaced"])
}

fn moved() -> Outcome {
    let world = World::new()?;
    let x = world.slice(1.0)?;
    let mut all = Vec::new();
    for _ in 0..4 {
        all.push(world.slice(0.0)?);
    }
    let mut sequence = new_sequence(&world.stream);
    for run in 1..4 {
        sequence.run(|s| {
            let x = s.hold(&x)?;
            let held: Result<Vec<_>, Error> = all.iter_mut().map(|y| s.hold(y)).collect();
            let mut held = held?;
            world.saxpy(1.0, x, &mut held[0], s)?;
            held.reverse();
            let mut last = held.remove(0);
            world.saxpy(2.0, x, &mut last, s)?;
            world.add(&last, x, &mut held[0], s)
        })?;
        for (y, expected) in all.iter().zip([1.0, 0.0, 0.0, 2.0]) {
            let expected = expected * run as f32;
            let is_sum = std::ptr::eq(y, &raw const all[2]);
            let sum = 2.0 * run as f32 + 1.0;
            assert_eq!(world.value(y)?, if is_sum { sum } else { expected });
        }
    }
    Ok(())
}

#[derive(KernelArgs)]
struct OfViews<'a, 'v> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaViewMut<'v, f32>,
}

fn views() -> Outcome {
    let world = World::new()?;
    let kernel: Kernel<OfViews<'_, '_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
    let half = N / 2;
    let mut sequence = new_sequence(&world.stream);
    let add = |alpha, x: &CudaSlice<f32>, y: &mut CudaViewMut<'_, f32>, launch: Launch<'_>| {
        let args = OfViews { n: half, alpha, x, y };
        // SAFETY: the slice and the view have at least `half` elements.
        unsafe { kernel_args::launch(&kernel, launch, args) }
    };
    let (mut low, mut high) = y.split_at_mut(half as usize);
    sequence.run(|s| {
        let x = s.hold(&x)?;
        let (mut a, mut b) = (s.hold(&mut low)?, s.hold(&mut high)?);
        add(1.0, x, &mut a, Launch::new(1, N).stream(s))?;
        mem::swap(&mut *a, &mut *b);
        add(2.0, x, &mut a, Launch::new(1, N).stream(s))
    })?;
    let values = world.stream.clone_dtoh(&y)?;
    let (low, high) = values.split_at(half as usize);
    assert_eq!((low, high), (&[1.0; 16][..], &[2.0; 16][..]));
    Ok(())
}

#[derive(KernelArgs)]
struct OfUnified<'a> {
    n: u32,
    alpha: f32,
    x: &'a cudarc::driver::UnifiedSlice<f32>,
    y: &'a mut cudarc::driver::UnifiedSlice<f32>,
}

fn unified() -> Outcome {
    let world = World::new()?;
    let kernel: Kernel<OfUnified<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let mut sequence = new_sequence(&world.stream);
    for run in 1..4 {
        // SAFETY: all elements are written before they are read.
        let mut x = unsafe { world.ctx.alloc_unified::<f32>(N as usize, true)? };
        // SAFETY: the same.
        let mut y = unsafe { world.ctx.alloc_unified::<f32>(N as usize, true)? };
        x.as_mut_slice()?.fill(run as f32);
        y.as_mut_slice()?.fill(1.0);
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let args = OfUnified { n: N, alpha: 2.0, x, y: &mut y };
            // SAFETY: each slice has `N` elements.
            unsafe { launch!(kernel, 1, N, args, stream = s) }
        })?;
        drop(x);
        world.ctx.synchronize()?;
        assert_eq!(y.as_slice()?, [1.0 + 2.0 * run as f32; N as usize]);
    }
    Ok(())
}

/// The runs of the inner sequence come before the run of the outer one.
fn nested() -> Outcome {
    fn now<'env>(
        sequence: &mut Sequence,
        record: impl for<'s> FnOnce(&'s Recorder<'s, 'env>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        run_now(|| sequence.run(record))
    }

    let world = World::new()?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(0.0)?);
    let (mut outer, mut inner) = (new_sequence(&world.stream), new_sequence(&world.stream));
    for run in 1..4 {
        outer
            .run(|s| {
                let (held, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
                world.saxpy(1.0, held, &mut y, s)?;
                now(&mut inner, |t| {
                    let mut y = t.hold(&mut *y)?;
                    world.saxpy(2.0, t.hold(&x)?, &mut y, t)?;
                    // This belongs to the outer sequence.
                    world.saxpy(1.0, &x, &mut z, s)
                })?;
                let replaced = now(&mut inner, |t| {
                    let mut y = t.hold(&mut *y)?;
                    world.saxpy(2.0, t.hold(&x)?, &mut y, t)?;
                    let old = mem::replace(&mut *y, world.slice(0.0).expect("memory"));
                    drop(mem::replace(&mut *z, old));
                    Ok(())
                });
                assert!(replaced.is_err());
                mem::swap(&mut *y, &mut *z);
                Ok(())
            })
            .expect_err("the slice of `z` is freed");
        let value = world.value(&y)?;
        assert_eq!(value, 2.0 * run as f32);
        assert_eq!(world.value(&z)?, 0.0);
    }
    outer.run(|s| {
        let (held, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
        now(&mut inner, |t| world.saxpy(2.0, t.hold(&x)?, &mut t.hold(&mut *y)?, t))?;
        world.saxpy(1.0, held, &mut y, s)
    })?;
    assert_eq!(world.value(&y)?, 9.0);
    Ok(())
}

fn panicking() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            let caught = catch_unwind(AssertUnwindSafe(|| {
                wrapped_saxpy(&world, 100.0, x, &mut y, &mut || panic!("on purpose"), s)
            }));
            assert!(caught.is_err());
            world.saxpy(2.0, x, &mut y, s)
        })?;
        assert_eq!(world.value(&y)?, 3.0 * run as f32);
    }
    assert_eq!(*sequence.mode(), RunMode::Updated(0));
    Ok(())
}

/// A launch while the arguments of another launch are lowered, and a panic there.
fn hidden() -> Outcome {
    let world = World::new()?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    sequence.run(|s| {
        let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
        let other = world.slice(100.0).expect("memory");
        let mut inner = Ok(());
        let outer = wrapped_saxpy(
            &world,
            1.0,
            &other,
            &mut y,
            &mut || {
                s.memset_zeros(&mut z).expect("it is held");
                inner = world.saxpy(3.0, x, &mut z, s);
            },
            s,
        );
        says(outer, &["`x`"]).expect("the slice is not held");
        inner.expect("all slices are held");
        let caught = catch_unwind(AssertUnwindSafe(|| {
            wrapped_saxpy(&world, 1.0, &other, &mut y, &mut || panic!("on purpose"), s)
        }));
        assert!(caught.is_err());
        world.saxpy(2.0, x, &mut y, s)
    })?;
    assert_eq!((world.value(&y)?, world.value(&z)?), (2.0, 3.0));
    Ok(())
}

fn failing() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            let other = world.slice(9.0).expect("memory");
            let failed = world.saxpy(100.0, &other, &mut y, s);
            says(failed, &["`x`"]).expect("the slice is not held");
            world.saxpy(2.0, x, &mut y, s)
        })?;
        assert_eq!(world.value(&y)?, 3.0 * run as f32);
    }
    Ok(())
}

/// A slice whose memory the launch uses through cudarc directly.
struct ByStream<'a>(&'a CudaSlice<f32>);

impl KernelArg for ByStream<'_> {
    type Device = DevicePointer<f32>;

    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (DevicePointer<f32>, Guard<'s>) {
        use cudarc::driver::DevicePtr as _;
        let context: &Arc<CudaContext> = self.0.stream().context();
        let (address, sync) = self.0.device_ptr(stream.stream(context));
        (DevicePointer::from_raw(address), Guard::new(sync))
    }
}

#[derive(KernelArgs)]
struct OfByStream<'a> {
    n: u32,
    alpha: f32,
    x: ByStream<'a>,
    y: &'a mut CudaSlice<f32>,
}

fn wrapped() -> Outcome {
    let world = World::new()?;
    let kernel: Kernel<OfByStream<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    // The sequence cannot know which memory this is.
    let outcome = sequence.run(|s| {
        let mut y = s.hold(&mut y)?;
        let x = world.slice(1.0).expect("memory");
        let args = OfByStream { n: N, alpha: 1.0, x: ByStream(&x), y: &mut y };
        // SAFETY: each slice has `N` elements.
        unsafe { launch!(kernel, 1, N, args, stream = s) }
    });
    says(outcome, &["`x`", "does not hold"])?;
    let outcome = sequence.run(|s| {
        let mut other = world.slice(0.0).expect("memory");
        wrapped_saxpy(&world, 1.0, s.hold(&x)?, &mut other, &mut || (), s)
    });
    says(outcome, &["`y`", "does not hold"])?;
    for run in 1..4 {
        sequence.run(|s| {
            let mut y = s.hold(&mut y)?;
            wrapped_saxpy(&world, 1.0, s.hold(&x)?, &mut y, &mut || (), s)
        })?;
        assert_eq!(world.value(&y)?, run as f32);
    }
    Ok(())
}

/// The argument of a launch launches while it is lowered.
fn launching() -> Outcome {
    let world = World::new()?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(7.0)?);
    let mut sequence = new_sequence(&world.stream);
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let mut z = s.hold(&mut z)?;
            let mut launch = || {
                let other = world.slice(5.0).expect("memory");
                says(world.saxpy(1.0, &other, &mut z, s), &["`x`"]).expect("it is not held");
                s.memset_zeros(&mut z).expect("it is held");
                world.saxpy(3.0, x, &mut z, s).expect("both are held");
            };
            wrapped_saxpy(&world, 1.0, x, &mut y, &mut launch, s)?;
            world.saxpy(1.0, x, &mut y, s)
        })?;
        assert_eq!((world.value(&y)?, world.value(&z)?), (2.0 * run as f32, 3.0));
    }
    Ok(())
}

/// The memory is on the stream of the launches, so it is freed after a plain launch.
fn retained() -> Outcome {
    let world = World::new()?;
    let kernel: Kernel<Owned> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let y = Arc::new(world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    for run in 1..4 {
        sequence.run(|s| {
            let x = Arc::new(world.slice(1.0).expect("memory"));
            let args = Owned { n: N, alpha: 1.0, x: Retained::read(&x), y: Retained::write(&y) };
            drop(x);
            // SAFETY: each slice has `N` elements, and `args` keeps them allocated.
            unsafe { launch!(kernel, 1, N, args, stream = s) }
        })?;
        assert_eq!(world.value(&y)?, run as f32);
    }
    Ok(())
}

fn dropped() -> Outcome {
    for _ in 0..4 {
        let world = World::new()?;
        let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
        let mut sequence = new_sequence(&world.stream);
        for _ in 0..2 {
            sequence.run(|s| {
                let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
                (0..50).try_for_each(|_| world.saxpy(1.0, x, &mut y, s))
            })?;
        }
        let stream = world.stream.clone();
        drop((sequence, world, x));
        let values = stream.clone_dtoh(&y)?;
        drop(y);
        stream.synchronize()?;
        assert_eq!(values, [100.0; N as usize]);
    }
    Ok(())
}
