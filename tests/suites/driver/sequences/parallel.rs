//! Launches of a sequence that use different memory: what waits for what, and that the results do not change.

use crate::sequences::world::{N, Outcome, SAXPY, Saxpy, World, new_sequence, trial};
use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr};
use kernel_args::{
    ArgList, DevicePointer, Error, Kernel, KernelArgs, Module, launch,
    sequence::{Recorder, RunMode, Sequence},
};
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::sync::Arc;

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("launches_with_different_memory_are_branches", branches),
        trial("a_sequence_is_a_chain_by_default", chain),
        trial("parts_of_a_slice_are_different_memory", parts),
        trial("a_launch_with_unknown_memory_is_ordered_with_all", unknown),
        trial("a_shared_slice_that_is_written_is_a_write", shared_write),
        trial("other_dependencies_are_another_graph", other_dependencies),
        trial("memsets_and_copies_are_branches_too", memory),
    ]
}

fn sequence(stream: &Arc<CudaStream>) -> Sequence {
    // SAFETY: the kernels use only the memory of their arguments.
    unsafe { new_sequence(stream).parallel() }
}

fn branches() -> Outcome {
    let world = World::new()?;
    let x = world.slice(1.0)?;
    let mut all: Vec<_> = (0..4).map(|_| world.slice(0.0)).collect::<Result<_, _>>()?;
    let mut sequence = sequence(&world.stream);
    for run in 1..4 {
        sequence.run(|s| {
            let x = s.hold(&x)?;
            let held: Result<Vec<_>, _> = all.iter_mut().map(|y| s.hold(y)).collect();
            let mut all = held?;
            for factor in [1.0, 2.0, run as f32] {
                for y in &mut all {
                    world.saxpy(factor, x, y, s)?;
                }
            }
            Ok(())
        })?;
        // Each slice has its own chain.
        assert_eq!(sequence.longest_chain(), 3);
    }
    assert_eq!(*sequence.mode(), RunMode::Updated(4));
    for y in &all {
        assert_eq!(world.value(y)?, 15.0);
    }
    Ok(())
}

fn chain() -> Outcome {
    let world = World::new()?;
    let x = world.slice(1.0)?;
    let (mut y, mut z) = (world.slice(0.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    assert_eq!(sequence.longest_chain(), 0);
    sequence.run(|s| {
        let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
        world.saxpy(1.0, x, &mut y, s)?;
        world.saxpy(1.0, x, &mut z, s)?;
        s.memset_zeros(&mut y)
    })?;
    assert_eq!(sequence.longest_chain(), 3);
    Ok(())
}

#[derive(KernelArgs)]
struct Parts<'a> {
    n: u32,
    alpha: f32,
    x: CudaView<'a, f32>,
    y: CudaViewMut<'a, f32>,
}

fn part<'a>(alpha: f32, x: CudaView<'a, f32>, y: CudaViewMut<'a, f32>) -> Parts<'a> {
    let n = x.len() as u32;
    Parts { n, alpha, x, y }
}

fn parts() -> Outcome {
    let world = World::new()?;
    let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
    let kernel: Kernel<Parts<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let half = N as usize / 2;
    let launch = |args: Parts<'_>, s: &Recorder<'_, '_>| -> Result<(), Error> {
        // SAFETY: both parts have `n` elements.
        unsafe { launch!(kernel, 1, N, args, stream = s) }
    };
    let mut sequence = sequence(&world.stream);
    sequence.run(|s| {
        let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
        launch(part(1.0, x.slice(..half), y.slice_mut(..half)), s)?;
        launch(part(2.0, x.slice(..half), y.slice_mut(half..)), s)
    })?;
    assert_eq!(sequence.longest_chain(), 1);
    sequence.run(|s| {
        let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
        launch(part(1.0, x.slice(..half), y.slice_mut(..half)), s)?;
        launch(part(2.0, x.slice(..half), y.slice_mut(half - 1..2 * half - 1)), s)?;
        // It reads both parts.
        world.saxpy(0.0, x, &mut y, s)
    })?;
    assert_eq!(sequence.longest_chain(), 3);
    let mut expected = vec![2.0_f32; N as usize];
    expected[half - 1] = 4.0;
    expected[half..2 * half - 1].fill(4.0);
    assert_eq!(world.stream.clone_dtoh(&y)?, expected);
    Ok(())
}

#[derive(KernelArgs)]
struct Raw<'a> {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Opaque<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    #[kernel_args(opaque)]
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct SharedWrite<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    #[kernel_args(shared_write)]
    y: &'a CudaSlice<f32>,
}

fn unknown() -> Outcome {
    let world = World::new()?;
    let x = world.slice(1.0)?;
    let mut all = [world.slice(0.0)?, world.slice(0.0)?, world.slice(0.0)?];
    let module = Module::load(&world.ctx, SAXPY)?;
    let opaque: Kernel<Opaque<'_>> = module.kernel("saxpy")?;
    let raw: Kernel<Raw<'_>> = module.kernel("saxpy")?;
    let function = module.function("saxpy")?;
    // Launches with different memory before and after one with other arguments.
    macro_rules! longest_chain {
        (|$x:ident, $y:ident| $kernel:ident, $args:expr) => {{
            let mut sequence = sequence(&world.stream);
            sequence.run(|s| {
                let [first, $y, last] = &mut all;
                let ($x, mut first, mut last) = (s.hold(&x)?, s.hold(first)?, s.hold(last)?);
                #[allow(unused_mut, reason = "not all arguments borrow it exclusively")]
                let mut $y = s.hold($y)?;
                world.saxpy(1.0, $x, &mut first, s)?;
                // SAFETY: the slices have `N` elements; with null pointers, `n` is 0.
                unsafe { launch!($kernel, 1, N, $args, stream = s)? };
                world.saxpy(1.0, $x, &mut last, s)
            })?;
            sequence.longest_chain()
        }};
    }
    let pointer = DevicePointer::from_raw(x.device_ptr(&world.stream).0);
    let plain = &world.saxpy;
    let n = N;
    let known = longest_chain!(|x, y| plain, Saxpy { n, alpha: 1.0, x, y: &mut y });
    let raw_pointer = longest_chain!(|x, y| raw, Raw { n, alpha: 1.0, x: pointer, y: &mut y });
    let null = longest_chain!(|x, y| raw, Raw { n: 0, alpha: 1.0, x: DevicePointer::NULL, y: &mut y });
    let opaque = longest_chain!(|x, y| opaque, Opaque { n, alpha: 1.0, x, y: &mut y });
    let list = longest_chain!(|x, y| function, {
        let mut args = ArgList::new();
        args.push(n).push(1.0_f32).push(x).push(&mut *y);
        args
    });
    assert_eq!([known, raw_pointer, null, opaque, list], [1, 3, 1, 3, 1]);
    let values: Vec<f32> = all.iter().map(|y| world.value(y)).collect::<Result<_, _>>()?;
    assert_eq!(values, [5.0, 4.0, 5.0]);
    Ok(())
}

fn shared_write() -> Outcome {
    let world = World::new()?;
    let (x, y) = (world.slice(1.0)?, world.slice(0.0)?);
    let kernel: Kernel<SharedWrite<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let mut sequence = sequence(&world.stream);
    sequence.run(|s| {
        let (x, y) = (s.hold(&x)?, s.hold(&y)?);
        for alpha in [1.0, 2.0] {
            let args = SharedWrite { n: N, alpha, x, y };
            // SAFETY: both slices have `N` elements.
            unsafe { launch!(kernel, 1, N, args, stream = s)? };
        }
        Ok(())
    })?;
    assert_eq!((sequence.longest_chain(), world.value(&y)?), (2, 3.0));
    Ok(())
}

fn other_dependencies() -> Outcome {
    let world = World::new()?;
    let mut all = [world.slice(1.0)?, world.slice(1.0)?, world.slice(1.0)?];
    let mut sequence = sequence(&world.stream);
    let mut modes = Vec::new();
    // The second launch reads what the first one writes, or something else.
    for from in [1, 2, 2, 1] {
        sequence.run(|s| {
            let [x, y, z] = &mut all;
            let (x, mut y, mut z) = (s.hold(x)?, s.hold(y)?, s.hold(z)?);
            world.saxpy(1.0, &x, &mut y, s)?;
            world.saxpy(1.0, if from == 1 { &y } else { &x }, &mut z, s)
        })?;
        modes.push((sequence.mode().clone(), sequence.longest_chain()));
    }
    let expected = [(RunMode::Built, 2), (RunMode::Built, 1), (RunMode::Updated(0), 1), (RunMode::Updated(0), 2)];
    assert_eq!(modes, expected);
    assert_eq!((world.value(&all[1])?, world.value(&all[2])?), (5.0, 10.0));
    Ok(())
}

fn memory() -> Outcome {
    let world = World::new()?;
    let x = world.slice(1.0)?;
    let mut all = [world.slice(7.0)?, world.slice(7.0)?, world.slice(7.0)?];
    let mut sequence = sequence(&world.stream);
    sequence.run(|s| {
        let [y, z, w] = &mut all;
        let (x, mut y, mut z, mut w) = (s.hold(&x)?, s.hold(y)?, s.hold(z)?, s.hold(w)?);
        s.memset_zeros(&mut y)?;
        s.memset_zeros(&mut z)?;
        world.saxpy(3.0, x, &mut y, s)?;
        world.saxpy(4.0, x, &mut z, s)?;
        s.memcpy_dtod(&z, &mut w)
    })?;
    assert_eq!(sequence.longest_chain(), 3);
    let values: Vec<f32> = all.iter().map(|y| world.value(y)).collect::<Result<_, _>>()?;
    assert_eq!(values, [3.0, 4.0, 4.0]);
    Ok(())
}
