//! How runs are enqueued, and that plain launches have the same results.

use crate::sequences::world::{N, Outcome, SAXPY, Saxpy, World, new_sequence, says, trial};
use cudarc::driver::CudaSlice;
use kernel_args::{
    ArgList, DeviceType, Error, Kernel, KernelArgs, Launch, Module,
    args::Form,
    launch,
    sequence::{RunMode, Sequence, WhyPlain},
};
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("an_equal_run_updates_nothing", an_equal_run),
        trial("only_changed_launches_are_updated", changed_launches),
        trial("graphs_are_remembered", remembered),
        trial("the_oldest_graph_is_destroyed", oldest),
        trial("a_run_without_launches", empty),
        trial("memsets_and_copies_are_in_order", memory),
        trial("every_kind_of_kernel_is_recorded", kinds),
        trial("a_struct_with_a_large_alignment_is_recorded", large_alignment),
        trial("a_kernel_can_be_dropped_in_the_closure", dropped_kernel),
        trial("nothing_is_enqueued_after_an_error", after_an_error),
        trial("nothing_is_enqueued_after_a_panic", after_a_panic),
        trial("an_attribute_without_a_node_makes_plain_launches", attribute),
        trial("attributes_of_nodes_are_part_of_the_graph", node_attributes),
        trial("a_run_is_captured_as_plain_launches", captured),
        trial("a_sequence_moves_to_another_thread", threads),
        trial("other_streams_wait_for_a_run", other_streams),
    ]
}

fn an_equal_run() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for run in 0..5 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            world.saxpy(2.0, x, &mut y, s)
        })?;
        let expected = match run {
            0 => RunMode::Built,
            _ => RunMode::Updated(0),
        };
        assert_eq!(*sequence.mode(), expected);
        assert_eq!(world.value(&y)?, 3.0 * (run + 1) as f32);
    }
    Ok(())
}

fn changed_launches() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut expected = 0.0;
    for (factors, changed) in [
        ([1.0, 2.0, 4.0], None),
        ([1.0, 3.0, 4.0], Some(1)),
        ([5.0, 3.0, 6.0], Some(2)),
        ([5.0, 3.0, 6.0], Some(0)),
        ([7.0, 8.0, 9.0], Some(3)),
    ] {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let mut factors = factors.iter();
            factors.try_for_each(|factor| world.saxpy(*factor, x, &mut y, s))
        })?;
        let mode = changed.map_or(RunMode::Built, RunMode::Updated);
        assert_eq!(*sequence.mode(), mode);
        expected += factors.iter().sum::<f32>();
        assert_eq!(world.value(&y)?, expected);
    }
    Ok(())
}

/// One run: `count` launches of one kernel, then one of another kernel.
fn run(world: &World, sequence: &mut Sequence, count: usize) -> Outcome<RunMode> {
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(0.0)?);
    sequence.run(|s| {
        let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
        (0..count).try_for_each(|_| world.saxpy(1.0, x, &mut y, s))?;
        world.add(x, &y, &mut z, s)
    })?;
    assert_eq!(world.value(&z)?, count as f32 + 1.0);
    Ok(sequence.mode().clone())
}

fn remembered() -> Outcome {
    let world = World::new()?;
    let mut sequence = new_sequence(&world.stream);
    let mut modes = Vec::new();
    for count in [7, 2, 7, 2, 3, 7] {
        modes.push(run(&world, &mut sequence, count)? == RunMode::Built);
    }
    assert_eq!(modes, [true, true, false, false, true, false]);
    Ok(())
}

fn oldest() -> Outcome {
    let world = World::new()?;
    let mut sequence = new_sequence(&world.stream).remember(2);
    let mut modes = Vec::new();
    for count in [1, 2, 1, 3, 1, 2, 3] {
        modes.push(run(&world, &mut sequence, count)? == RunMode::Built);
    }
    assert_eq!(modes, [true, true, false, true, false, true, true]);
    Ok(())
}

fn empty() -> Outcome {
    let world = World::new()?;
    let x = world.slice(1.0)?;
    let mut sequence = new_sequence(&world.stream);
    let value = sequence.run(|s| {
        s.hold(&x)?;
        Ok(7)
    })?;
    assert_eq!((value, sequence.mode()), (7, &RunMode::Empty));
    Ok(())
}

fn memory() -> Outcome {
    let world = World::new()?;
    let (x, mut y, mut z) = (world.slice(3.0)?, world.slice(1.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    for factor in [1.0, 1.0, 2.0] {
        sequence.run(|s| {
            let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
            world.saxpy(10.0, x, &mut y, s)?;
            s.memset_zeros(&mut y)?;
            world.saxpy(factor, x, &mut y, s)?;
            s.memcpy_dtod(&y, &mut z)?;
            s.memset_zeros(&mut y)
        })?;
        assert_eq!((world.value(&y)?, world.value(&z)?), (0.0, 3.0 * factor));
    }
    assert_eq!(*sequence.mode(), RunMode::Updated(1));
    let mut short = world.stream.alloc_zeros::<f32>(4)?;
    let outcome = sequence.run(|s| {
        let (x, mut short) = (s.hold(&x)?, s.hold(&mut short)?);
        s.memcpy_dtod(x, &mut short)
    });
    let elements = format!("{N} elements");
    says(outcome, &["the destination has 4 elements", &elements])
}

fn kinds() -> Outcome {
    let world = World::new()?;
    let (x, mut y) = (world.slice(1.0)?, world.slice(0.0)?);
    let module = Module::load(&world.ctx, SAXPY)?;
    let function = module.function("saxpy")?;
    let ptx = cudarc::nvrtc::Ptx::from_src(SAXPY);
    let theirs = world.ctx.load_module(ptx)?.load_function("saxpy")?;
    let mut sequence = new_sequence(&world.stream);
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            macro_rules! args {
                ($alpha:expr) => {
                    Saxpy { n: N, alpha: $alpha, x, y: &mut y }
                };
            }
            macro_rules! record {
                ($kernel:expr, $args:expr) => {
                    // SAFETY: each slice has `N` elements.
                    unsafe { launch!($kernel, 1, N, $args, stream = s) }
                };
            }
            record!(module.kernel::<Saxpy<'_>>("saxpy")?, args!(1.0))?;
            record!(function, args!(10.0))?;
            record!(theirs, args!(100.0))?;
            record!(function.cu_function(), args!(1000.0))?;
            let mut list = ArgList::new();
            list.push(N).push(10_000.0_f32).push(x).push(&mut *y);
            record!(function, list)?;
            let launch = Launch::new(1, N).stream(s).form(Form::KernelParams);
            // SAFETY: each slice has `N` elements.
            unsafe { kernel_args::launch(&world.saxpy, launch, args!(100_000.0)) }
        })?;
        assert_eq!(world.value(&y)?, 111_111.0 * run as f32);
        assert_eq!(*sequence.mode() == RunMode::Built, run == 1);
    }
    Ok(())
}

/// Its packed form depends on the GPU, so it is recorded parameter by parameter.
fn large_alignment() -> Outcome {
    const ECHO: &str = include_str!("../../../../ptx/echo_structs.ptx");

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C, align(32))]
    struct Align32 {
        word: u32,
    }

    #[derive(KernelArgs)]
    struct Echo<'a> {
        out: &'a mut CudaSlice<u8>,
        before: i8,
        value: Align32,
        after: i8,
    }

    let world = World::new()?;
    let kernel: Kernel<Echo<'_>> = Kernel::from_image(&world.ctx, ECHO, "echo_align_32")?;
    let mut out = world.stream.alloc_zeros::<u8>(34)?;
    let mut sequence = new_sequence(&world.stream);
    let mut modes = Vec::new();
    for word in [0x0403_0201_u32, 0x0403_0201, 0x7060_5040] {
        world.stream.memset_zeros(&mut out)?;
        sequence.run(|s| {
            let mut out = s.hold(&mut out)?;
            let args = Echo { out: &mut out, before: 11, value: Align32 { word }, after: 22 };
            // SAFETY: the kernel writes 34 bytes.
            unsafe { launch!(kernel, 1, 1, args, stream = s) }
        })?;
        let found = world.stream.clone_dtoh(&out)?;
        assert_eq!((found[0], found[33]), (11, 22));
        assert_eq!(found[1..5], word.to_ne_bytes());
        modes.push(sequence.mode().clone());
    }
    let expected = [RunMode::Built, RunMode::Updated(0), RunMode::Updated(1)];
    assert_eq!(modes, expected);
    Ok(())
}

fn dropped_kernel() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let World { saxpy, .. } = World::new().expect("kernels");
            let args = Saxpy { n: N, alpha: 2.0, x, y: &mut y };
            // SAFETY: each slice has `N` elements.
            unsafe { launch!(saxpy, 1, N, args, stream = s) }
        })?;
        assert_eq!(world.value(&y)?, 2.0 * run as f32);
    }
    Ok(())
}

fn after_an_error() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut run = |fails: bool| {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            if fails { Err(Error::NoDriver) } else { Ok(()) }
        })
    };
    for fails in [true, false, true, false] {
        assert_eq!(run(fails).is_err(), fails);
    }
    assert_eq!(world.value(&y)?, 2.0);
    Ok(())
}

fn after_a_panic() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut run = |panics: bool| {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            assert!(!panics, "on purpose");
            Ok(())
        })
    };
    for panics in [true, false, true, false] {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(panics)));
        assert_eq!(outcome.is_err(), panics);
    }
    assert_eq!(world.value(&y)?, 2.0);
    Ok(())
}

fn attribute() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let event = world.ctx.new_event(None)?;
    for with_event in [true, false, true] {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            let args = Saxpy { n: N, alpha: 2.0, x, y: &mut y };
            let launch = Launch::new(1, N).stream(s);
            let launch = if with_event { launch.launch_completion_event(&event) } else { launch };
            // SAFETY: each slice has `N` elements, and the event exists until the run is over.
            unsafe { kernel_args::launch(&world.saxpy, launch, args) }
        })?;
        let expected =
            if with_event { RunMode::Plain(WhyPlain::Attribute("launch_completion_event")) } else { RunMode::Built };
        assert_eq!(*sequence.mode(), expected);
    }
    assert_eq!(world.value(&y)?, 9.0);
    Ok(())
}

fn node_attributes() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut modes = Vec::new();
    for priority in [-1, 0, -1] {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let args = Saxpy { n: N, alpha: 2.0, x, y: &mut y };
            // SAFETY: each slice has `N` elements.
            unsafe { launch!(world.saxpy, 1, N, args, stream = s, priority = priority) }
        })?;
        modes.push(sequence.mode().clone());
    }
    assert_eq!(modes, [RunMode::Built, RunMode::Built, RunMode::Updated(0)]);
    assert_eq!(world.value(&y)?, 6.0);
    Ok(())
}

fn captured() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut run = || {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            world.saxpy(2.0, x, &mut y, s)
        })?;
        Ok::<_, Error>(sequence.mode().clone())
    };
    assert_eq!(run()?, RunMode::Built);
    world.ctx.synchronize()?;
    let mut mode = None;
    // cudarc's events of slices cannot be part of a capture.
    // SAFETY: everything is on one stream, and the slices stay allocated.
    unsafe { world.ctx.disable_event_tracking() };
    let work = || {
        mode = Some(run()?);
        Ok::<_, Error>(())
    };
    // SAFETY: the same.
    let graph = unsafe { kernel_args::graph::Graph::capture_unretained(&world.stream, work) };
    // SAFETY: the same.
    unsafe { world.ctx.enable_event_tracking() };
    assert_eq!(mode, Some(RunMode::Plain(WhyPlain::Capturing)));
    let mut exec = graph?.instantiate()?;
    assert_eq!(run()?, RunMode::Updated(0));
    // SAFETY: the slices are allocated.
    unsafe { exec.launch(&world.stream) }?;
    assert_eq!(world.value(&y)?, 9.0);
    Ok(())
}

fn threads() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    for _ in 0..3 {
        sequence = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let mut sequence = sequence;
                sequence.run(|s| {
                    let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
                    world.saxpy(1.0, x, &mut y, s)
                })?;
                Ok::<_, Error>(sequence)
            });
            thread.join().expect("no panic")
        })?;
    }
    assert_eq!(world.value(&y)?, 3.0);
    Ok(())
}

fn other_streams() -> Outcome {
    let world = World::new()?;
    let other = world.ctx.new_stream()?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    for run in 1..50 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            (0..20).try_for_each(|_| world.saxpy(1.0, x, &mut y, s))
        })?;
        world.settle()?;
        world.add(&x, &y, &mut &mut z, &other)?;
        let values = other.clone_dtoh(&z)?;
        assert_eq!(values, [20.0 * run as f32 + 1.0; N as usize]);
    }
    Ok(())
}
