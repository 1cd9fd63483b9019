//! Slices that safe code exchanges behind held borrows: a step uses the memory of the slice that its reference refers
//! to, or it is an error. Lengths and addresses are always of one slice.

use crate::sequences::{
    random::Place,
    world::{N, Outcome, SAXPY, Saxpy, World, new_sequence, says, trial, trial_unless},
};
use cudarc::driver::{CudaEvent, CudaSlice, CudaView, CudaViewMut, DevicePtr, DeviceRepr, UnifiedSlice};
use kernel_args::{
    ArgList, Error, Kernel, KernelArgs, Launch, Module,
    args::Form,
    context::{ContextFlags, create_context},
    launch,
    sequence::{Recorder, RunMode, WhyPlain},
};
use kernel_args_stand_in::Control;
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{collections::BTreeSet, env, mem};

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let why = driver.is_real().then_some("this machine has its own GPU");
    vec![
        trial("a_memset_of_a_slice_that_is_not_held", memset),
        trial("copies_of_slices_that_are_not_held", copies),
        trial("launches_of_slices_that_are_not_held", launches),
        trial("a_contract_of_a_slice_that_is_not_held", contract),
        trial("held_slices_that_a_function_exchanges", ping_pong),
        trial("views_of_exchanged_slices", views),
        trial("exchanged_unified_memory", unified),
        trial("views_of_one_slice_with_different_types", typed_views),
        trial("places_that_are_held_again", held_again),
        trial("exchanged_slices_of_a_created_context", created_context),
        trial_unless(why, "freed_memory_is_not_held_as_another_slice", freed_and_allocated),
        trial_unless(why, "freed_memory_that_becomes_a_slice_of_another_type", other_type),
        trial_unless(why, "recorded_steps_wait_for_nothing", without_waits),
        trial("random_exchanges", random),
    ]
}

/// Kernel `saxpy`, whose slices have at least `n` elements.
#[derive(KernelArgs)]
struct Checked<'a> {
    n: u32,
    alpha: f32,
    #[kernel_args(len = "n")]
    x: &'a CudaSlice<f32>,
    #[kernel_args(len = "n")]
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Views<'a> {
    n: u32,
    alpha: f32,
    x: CudaView<'a, f32>,
    y: CudaViewMut<'a, f32>,
}

const LONG: usize = 4 * N as usize;

type Slice = CudaSlice<f32>;

/// Records `step` while the place of a held slice contains a longer slice, which is not held. The arguments are the
/// reference to this place, and two held slices that are as long as the longer slice.
fn attack(
    step: impl FnOnce(&World, &mut Slice, &Slice, &mut Slice, &Recorder<'_, '_>) -> Result<(), Error>,
    words: &[&str],
) -> Outcome {
    let world = World::new()?;
    let of = |value: f32| world.stream.clone_htod(&[value; LONG]);
    let (x, mut z, mut other) = (of(1.0)?, of(2.0)?, of(3.0)?);
    let mut y = world.slice(4.0)?;
    let mut sequence = new_sequence(&world.stream);
    let outcome = sequence.run(|s| {
        let (x, mut z, mut y) = (s.hold(&x)?, s.hold(&mut z)?, s.hold(&mut y)?);
        let place = &mut *y;
        mem::swap(place, &mut other);
        let outcome = step(&world, place, x, &mut z, s);
        mem::swap(place, &mut other);
        outcome
    });
    says(outcome, words)?;
    for (slice, value) in [(&x, 1.0), (&z, 2.0), (&other, 3.0), (&y, 4.0)] {
        assert_eq!(world.value(slice)?, value);
    }
    Ok(())
}

/// What an error says about the slice.
macro_rules! exchanged {
    ($kernel:literal, $field:literal) => {
        &[
            concat!("`", $kernel, "` was not"),
            concat!("`", $field, "` is not the slice that was held at "),
            "exchanged.rs:",
            "exchange the values that `hold` returned",
        ]
    };
}

fn memset() -> Outcome {
    attack(|_, place, _, _, s| s.memset_zeros(place), exchanged!("memset_zeros", "slice"))
}

fn copies() -> Outcome {
    attack(|_, place, _, z, s| s.memcpy_dtod(place, z), exchanged!("memcpy_dtod", "from"))?;
    attack(|_, place, x, _, s| s.memcpy_dtod(x, place), exchanged!("memcpy_dtod", "to"))
}

/// Each kind of launch, in both forms.
fn launches() -> Outcome {
    let words = exchanged!("saxpy", "y");
    attack(|world, mut place, x, _, s| world.saxpy(1.0, x, &mut place, s), words)?;
    attack(
        |world, place, x, _, s| {
            let launch = Launch::new(1, N).stream(s).form(Form::KernelParams);
            let args = Saxpy { n: N, alpha: 1.0, x, y: place };
            // SAFETY: each slice has `N` elements.
            unsafe { kernel_args::launch(&world.saxpy, launch, args) }
        },
        words,
    )?;
    attack(|world, mut place, x, z, s| world.add(x, z, &mut place, s), exchanged!("vector_add", "c"))?;
    attack(|world, place, x, mut z, s| world.add(x, place, &mut z, s), exchanged!("vector_add", "b"))?;
    attack(
        |world, place, x, _, s| {
            let function = Module::load(&world.ctx, SAXPY)?.function("saxpy")?;
            let mut list = ArgList::new();
            list.push(N).push(1.0_f32).push(x).push(place);
            // SAFETY: each slice has `N` elements.
            unsafe { launch!(function, 1, N, list, stream = s) }
        },
        exchanged!("saxpy", "3"),
    )
}

fn contract() -> Outcome {
    let checked = |alpha, n| {
        move |world: &World, place: &mut Slice, x: &Slice, _: &mut Slice, s: &Recorder<'_, '_>| {
            let kernel: Kernel<Checked<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
            let y = place;
            let args = Checked { n, alpha, x, y };
            // SAFETY: the contract compares `n` with the slices.
            unsafe { launch!(kernel, 4, N, args, stream = s) }
        }
    };
    attack(checked(1.0, 4 * N), exchanged!("saxpy", "y"))?;
    attack(checked(1.0, 5 * N), &["`x` of `Checked` has 128 elements"])
}

/// A function that exchanges what its references refer to has the results of plain launches.
fn ping_pong() -> Outcome {
    fn rounds(world: &World, x: &Slice, slices: [&mut Slice; 2], on: &impl Place) -> Outcome {
        let [a, mut b] = slices;
        for round in 0..4 {
            mem::swap(a, b);
            world.add(x, a, &mut b, on)?;
            if round == 2 {
                on.zero(a)?;
            }
            world.saxpy(1.0, x, &mut b, on)?;
        }
        Ok(on.copy(b, a)?)
    }

    let world = World::new()?;
    let x = world.slice(1.0)?;
    let new = || -> Outcome<_> { Ok([world.slice(10.0)?, world.slice(20.0)?]) };
    let (mut plain, mut recorded) = (new()?, new()?);
    let mut sequence = new_sequence(&world.stream);
    for run in 0..3 {
        rounds(&world, &x, plain.each_mut(), &world.stream)?;
        sequence.run(|s| {
            let x = s.hold(&x)?;
            let [a, b] = &mut recorded;
            let (mut a, mut b) = (s.hold(a)?, s.hold(b)?);
            rounds(&world, x, [&mut a, &mut b], s).expect("all slices are held");
            Ok(())
        })?;
        for (plain, recorded) in plain.iter().zip(&recorded) {
            assert_eq!(world.value(plain)?, world.value(recorded)?, "run {run}");
        }
    }
    Ok(())
}

/// Half of the memory of each slice, after the slices were exchanged.
fn views() -> Outcome {
    let world = World::new()?;
    let kernel: Kernel<Views<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let (mut x, mut y) = (world.slice(1.0)?, world.slice(10.0)?);
    let (half, mut other) = (N as usize / 2, world.slice(7.0)?);
    let launch = |x: CudaView<'_, f32>, y: CudaViewMut<'_, f32>, s: &Recorder<'_, '_>| {
        let args = Views { n: N / 2, alpha: 2.0, x, y };
        // SAFETY: each view has `N / 2` elements.
        unsafe { launch!(kernel, 1, N, args, stream = s) }
    };
    let mut sequence = new_sequence(&world.stream);
    sequence.run(|s| {
        let (mut x, mut y) = (s.hold(&mut x)?, s.hold(&mut y)?);
        let (a, b) = (&mut *x, &mut *y);
        mem::swap(a, b);
        launch(a.slice(half..), b.slice_mut(..half), s)?;
        mem::swap(b, &mut other);
        let outcome = launch(a.slice(half..), b.slice_mut(..half), s);
        says(outcome, exchanged!("saxpy", "y")).expect("`other` is not held");
        let outcome = launch(b.slice(half..), a.slice_mut(..half), s);
        says(outcome, exchanged!("saxpy", "x")).expect("`other` is not held");
        mem::swap(b, &mut other);
        Ok(())
    })?;
    assert_eq!((world.value(&x)?, world.value(&other)?), (10.0, 7.0));
    let values = world.stream.clone_dtoh(&y)?;
    let (first, second) = values.split_at(half);
    assert_eq!((first, second), (&[21.0; 16][..], &[1.0; 16][..]));
    Ok(())
}

#[derive(KernelArgs)]
struct Unified<'a> {
    n: u32,
    alpha: f32,
    x: &'a UnifiedSlice<f32>,
    y: &'a mut UnifiedSlice<f32>,
}

fn unified() -> Outcome {
    let world = World::new()?;
    let kernel: Kernel<Unified<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let new = |value: f32, elements| -> Outcome<_> {
        // SAFETY: all elements are written before they are read.
        let mut slice = unsafe { world.ctx.alloc_unified::<f32>(elements, true)? };
        slice.as_mut_slice()?.fill(value);
        Ok(slice)
    };
    let (mut y, mut z, mut other) = (new(1.0, LONG)?, new(2.0, 4)?, new(7.0, 4)?);
    let launch = |x: &UnifiedSlice<f32>, y: &mut UnifiedSlice<f32>, s: &Recorder<'_, '_>| {
        let (n, alpha) = (x.len() as u32, 10.0);
        let args = Unified { n, alpha, x, y };
        // SAFETY: each slice has at least `n` elements.
        unsafe { launch!(kernel, 1, N, args, stream = s) }
    };
    let mut sequence = new_sequence(&world.stream);
    sequence.run(|s| {
        let (mut y, mut z) = (s.hold(&mut y)?, s.hold(&mut z)?);
        let (a, b) = (&mut *y, &mut *z);
        mem::swap(a, b);
        launch(a, b, s)?;
        mem::swap(a, &mut other);
        says(launch(a, b, s), exchanged!("saxpy", "x")).expect("`other` is not held");
        mem::swap(a, &mut other);
        Ok(())
    })?;
    world.ctx.synchronize()?;
    let mut expected = [1.0; LONG];
    expected[..4].fill(21.0);
    assert_eq!((y.as_slice()?, z.as_slice()?), (&[2.0; 4][..], &expected[..]));
    Ok(())
}

#[derive(KernelArgs)]
struct OfView<'a, 'v> {
    n: u32,
    alpha: f32,
    x: &'a Slice,
    y: &'a mut CudaViewMut<'v, f32>,
}

fn typed_views() -> Outcome {
    let world = World::new()?;
    let kernel: Kernel<OfView<'_, '_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let (x, mut memory) = (world.slice(1.0)?, world.stream.alloc_zeros::<u32>(8)?);
    let mut sequence = new_sequence(&world.stream);
    let (mut low, mut high) = memory.split_at_mut(4);
    // SAFETY: each value is a float.
    let mut high = unsafe { high.transmute_mut::<f32>(4) }.ok_or("four floats")?;
    sequence.run(|s| {
        let (x, _low, mut high) = (s.hold(&x)?, s.hold(&mut low)?, s.hold(&mut high)?);
        let (n, alpha, y) = (4, 2.0, &mut *high);
        let args = OfView { n, alpha, x, y };
        // SAFETY: both have four elements.
        unsafe { launch!(kernel, 1, N, args, stream = s) }
    })?;
    let (zero, two) = (0, 2.0_f32.to_bits());
    let values = world.stream.clone_dtoh(&memory)?;
    assert_eq!(values, [zero, zero, zero, zero, two, two, two, two]);
    Ok(())
}

/// Borrows of a `Held` that are as long as the run.
fn held_again() -> Outcome {
    let world = World::new()?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(10.0)?, world.slice(20.0)?);
    let mut sequence = new_sequence(&world.stream);
    for _ in 0..2 {
        sequence.run(|s| {
            let x = s.hold(&x)?;
            let [y, z] = [s.hold(&mut y)?, s.hold(&mut z)?].map(|held| Box::leak(Box::new(held)));
            let (y, z): (&mut Slice, &mut Slice) = (y, z);
            mem::swap(y, z);
            let (mut y, z) = (s.hold(y)?, s.hold(&*z)?);
            world.saxpy(1.0, x, &mut y, s)?;
            world.saxpy(1.0, z, &mut y, s)
        })?;
    }
    assert_eq!((world.value(&y)?, world.value(&z)?), (42.0, 31.0));
    Ok(())
}

/// cudarc cannot report addresses without calls of the driver there.
fn created_context() -> Outcome {
    let world = World::in_context(create_context(kernel_args_tests::driver::device(), ContextFlags::new())?)?;
    let (mut y, mut z, mut other) = (world.slice(1.0)?, world.slice(2.0)?, world.slice(3.0)?);
    let mut sequence = new_sequence(&world.stream);
    for _ in 0..2 {
        sequence.run(|s| {
            let (mut y, mut z) = (s.hold(&mut y)?, s.hold(&mut z)?);
            let (mut a, b) = (&mut *y, &mut *z);
            mem::swap(a, b);
            world.saxpy(10.0, b, &mut a, s)?;
            mem::swap(a, &mut other);
            says(s.memset_zeros(a), exchanged!("memset_zeros", "slice")).expect("it is not held");
            mem::swap(a, &mut other);
            Ok(())
        })?;
    }
    assert_eq!((world.value(&y)?, world.value(&z)?), (121.0, 12.0));
    Ok(())
}

fn address<T>(slice: &CudaSlice<T>) -> u64 {
    slice.device_ptr(slice.stream()).0
}

/// The bytes of slices that are so large that the test driver returns their addresses again after they were freed.
const LARGE: usize = 1 << 25;

fn large<T: DeviceRepr>(world: &World) -> Outcome<CudaSlice<T>> {
    // SAFETY: nothing reads an element that was not written.
    Ok(unsafe { world.stream.alloc(LARGE / size_of::<T>()) }?)
}

/// Fills the gaps that other trials have left in the address space: until these slices are dropped, the next ones are
/// neighbours, and the gap of a freed one has its size.
fn fill_gaps(world: &World) -> Outcome<Vec<CudaSlice<u8>>> {
    (0..24).map(|_| large(world)).collect()
}

/// A large slice with this address.
fn large_at<T: DeviceRepr>(world: &World, at: u64) -> CudaSlice<T> {
    let mut others = Vec::new();
    for _ in 0..64 {
        let slice = large(world).expect("memory");
        if address(&slice) == at {
            return slice;
        }
        others.push(slice);
    }
    panic!("the test driver has not reused the address")
}

/// A slice that the run does not hold, in the memory of a held slice that was freed.
fn freed_and_allocated() -> Outcome {
    let world = World::new()?;
    let _above = fill_gaps(&world)?;
    let (x, mut y) = (world.slice(1.0)?, large::<f32>(&world)?);
    let _below = large::<u8>(&world)?;
    let mut sequence = new_sequence(&world.stream);
    let outcome = sequence.run(|s| {
        let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
        let at = address(&y);
        *y = world.slice(0.0).expect("memory");
        let mut other = large_at(&world, at);
        let outcome = world.saxpy(1.0, x, &mut &mut other, s);
        *y = other;
        outcome
    });
    says(outcome, &["`y`", "does not hold"])
}

/// Bytes are copied to a held slice, whose memory then becomes a slice of `bool`.
fn other_type() -> Outcome {
    let world = World::new()?;
    let _above = fill_gaps(&world)?;
    let (mut from, mut bytes) = (large::<u8>(&world)?, large::<u8>(&world)?);
    let mut flags = large::<bool>(&world)?;
    let _below = large::<u8>(&world)?;
    world.stream.memset_zeros(&mut from)?;
    world.stream.memcpy_htod(&[7], &mut from.slice_mut(..1))?;
    let mut sequence = new_sequence(&world.stream);
    let outcome = sequence.run(|s| {
        let from = s.hold(&from)?;
        let (mut bytes, mut flags) = (s.hold(&mut bytes)?, s.hold(&mut flags)?);
        s.memcpy_dtod(from, &mut bytes)?;
        let at = [address(&bytes), address(&flags)];
        *bytes = world.stream.clone_htod(&[0]).expect("memory");
        *flags = world.stream.clone_htod(&[false]).expect("memory");
        *flags = large_at(&world, at[0]);
        *bytes = large_at(&world, at[1]);
        let outcome = s.memset_zeros(&mut bytes);
        says(outcome, exchanged!("memset_zeros", "slice")).expect("bytes in memory of `bool`");
        world.stream.memset_zeros(&mut *flags).expect("a memset");
        Ok(())
    });
    says(outcome, &["was not enqueued", "exchanged.rs:", "replaced"])?;
    // SAFETY: each value is a byte.
    let first = unsafe { flags.transmute::<u8>(1) }.ok_or("a byte")?;
    assert_eq!(world.stream.clone_dtoh(&first)?, [0]);
    Ok(())
}

fn without_waits() -> Outcome {
    let control = Control::attach().ok_or("the test driver")?;
    let world = World::new()?;
    let kernel: Kernel<Views<'_>> = Kernel::from_image(&world.ctx, SAXPY, "saxpy")?;
    let (x, mut y, mut z) = (world.slice(1.0)?, world.slice(0.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    for _ in 0..3 {
        sequence.run(|s| {
            let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
            world.saxpy(1.0, x, &mut y, s)?;
            control.reset_calls();
            for _ in 0..4 {
                world.add(x, &y, &mut z, s)?;
                mem::swap(&mut *y, &mut *z);
                s.memset_zeros(&mut y)?;
                s.memcpy_dtod(&z, &mut y)?;
                let args = Views { n: 8, alpha: 1.0, x: y.slice(..8), y: z.slice_mut(8..16) };
                // SAFETY: each view has 8 elements.
                unsafe { launch!(kernel, 1, N, args, stream = s)? };
            }
            assert_eq!(control.calls("cuStreamWaitEvent"), 0);
            Ok(())
        })?;
    }
    Ok(())
}

/// Random exchanges of slices of different lengths between steps, in which each step is recorded with the result of a
/// plain launch, or is an error.
fn random() -> Outcome {
    let programs = match env::var_os("KERNEL_ARGS_FULL") {
        Some(_) => 2000,
        None => 200,
    };
    let world = World::new()?;
    let kernels = Kernels {
        checked: Kernel::from_image(&world.ctx, SAXPY, "saxpy")?,
        views: Kernel::from_image(&world.ctx, SAXPY, "saxpy")?,
        event: world.ctx.new_event(None)?,
    };
    let mut counts = Counts::default();
    for seed in 0..programs {
        program(seed, &world, &kernels, &mut counts).map_err(|error| format!("seed {seed}: {error}"))?;
    }
    println!("{counts:?}");
    let Counts { recorded, not_held, too_long, graphs, plain, refused } = counts;
    let all = [recorded, not_held, too_long, graphs, plain, refused];
    assert!(all.iter().all(|count| *count > programs / 2));
    Ok(())
}

struct Kernels {
    checked: Kernel<Checked<'static>>,
    views: Kernel<Views<'static>>,
    event: CudaEvent,
}

/// Steps that were recorded, or refused for two reasons; runs as graphs, as plain launches, and refused.
#[derive(Debug, Default)]
struct Counts {
    recorded: u64,
    not_held: u64,
    too_long: u64,
    graphs: u64,
    plain: u64,
    refused: u64,
}

/// What a recorded step does: `to = factor * to + alpha * from` for `n` elements. A slice is an index and the first
/// element.
struct Step {
    n: usize,
    factor: f32,
    to: (usize, usize),
    alpha: f32,
    from: (usize, usize),
}

/// What is expected of a program. Slices are indices of `contents`.
struct Model {
    contents: Vec<Vec<f32>>,
    /// The slice at each held place.
    held: Vec<usize>,
    /// The slice at each other place.
    others: Vec<usize>,
    /// The slices that were held.
    at_first: BTreeSet<usize>,
    steps: Vec<Step>,
}

impl Model {
    /// The run is enqueued.
    fn enqueue(&mut self) {
        for step in &self.steps {
            let ((to, to_at), (from, from_at)) = (step.to, step.from);
            for i in 0..step.n {
                let old = step.factor * self.contents[to][to_at + i];
                self.contents[to][to_at + i] = step.alpha * self.contents[from][from_at + i] + old;
            }
        }
    }

    fn is_allocated(&self) -> bool {
        self.at_first.iter().all(|slice| self.held.contains(slice))
    }
}

fn program(seed: u64, world: &World, kernels: &Kernels, counts: &mut Counts) -> Outcome {
    let (rng, stream) = (&mut Rng::new(seed, 1), &world.stream);
    let count = 2 + rng.below(3);
    let contents: Vec<_> =
        (0..count + 2).map(|slice| vec![slice as f32 + 1.0; *rng.pick(&[4, 8, 8, 16, 32])]).collect();
    let slices: Result<Vec<_>, _> = contents.iter().map(|of| stream.clone_htod(of)).collect();
    let mut all = slices?;
    let mut others = all.split_off(count);
    let mut model = Model {
        contents,
        held: (0..count).collect(),
        others: vec![count, count + 1],
        at_first: BTreeSet::new(),
        steps: Vec::new(),
    };
    let mut sequence = new_sequence(stream);
    if rng.chance(50) {
        // SAFETY: the kernels use only the memory of their arguments.
        sequence = unsafe { sequence.parallel() };
    }
    for run in 0..6 {
        model.at_first = model.held.iter().copied().collect();
        model.steps.clear();
        let mut launch = Launch::new(1, N);
        if rng.chance(30) {
            launch = launch.launch_completion_event(&kernels.event);
        }
        let mut is_recorded = false;
        let outcome = sequence.try_run(|s| {
            let held: Result<Vec<_>, _> = all.iter_mut().map(|slice| s.hold(slice)).collect();
            let mut held = held?;
            for _ in 0..rng.below(6) {
                // The references are used for several steps.
                let mut places: Vec<_> = held.iter_mut().map(|held| &mut **held).collect();
                for _ in 0..=rng.below(5) {
                    if rng.chance(40) {
                        exchange(rng, &mut model, &mut places, &mut others);
                    } else {
                        let launch = launch.stream(s);
                        step(rng, kernels, &mut model, &mut places, (s, launch), counts)?;
                    }
                }
            }
            if rng.chance(60) {
                // Slices that were held return to any of the places.
                for (at, other) in others.iter_mut().enumerate() {
                    let is_new = |slice: &usize| !model.at_first.contains(slice);
                    let place = model.held.iter().position(is_new);
                    if let (Some(place), false) = (place, is_new(&model.others[at])) {
                        mem::swap(&mut *held[place], other);
                        mem::swap(&mut model.held[place], &mut model.others[at]);
                    }
                }
            }
            is_recorded = true;
            Ok::<_, Box<dyn std::error::Error>>(())
        });
        if !is_recorded {
            return outcome;
        }
        let is_enqueued = model.steps.is_empty() || model.is_allocated();
        if outcome.is_ok() != is_enqueued {
            return Err(format!("run {run}: {outcome:?}").into());
        }
        if is_enqueued {
            model.enqueue();
            *match sequence.mode() {
                RunMode::Plain(WhyPlain::Attribute(_)) => &mut counts.plain,
                RunMode::Plain(why) => return Err(format!("run {run}: {why}").into()),
                _ => &mut counts.graphs,
            } += 1;
        } else {
            counts.refused += 1;
        }
        let slices = all.iter().zip(&model.held);
        for (slice, index) in slices.chain(others.iter().zip(&model.others)) {
            let (found, expected) = (stream.clone_dtoh(slice)?, &model.contents[*index]);
            if found != *expected {
                let text = format!("run {run}, slice {index}: {found:?} instead of {expected:?}");
                return Err(text.into());
            }
        }
    }
    Ok(())
}

fn exchange(rng: &mut Rng, model: &mut Model, places: &mut [&mut Slice], others: &mut [Slice]) {
    let first = rng.below(places.len());
    if rng.chance(70) {
        let second = (first + 1 + rng.below(places.len() - 1)) % places.len();
        if let Ok([a, b]) = places.get_disjoint_mut([first, second]) {
            mem::swap(&mut **a, &mut **b);
        }
        model.held.swap(first, second);
    } else {
        let other = rng.below(others.len());
        mem::swap(&mut *places[first], &mut others[other]);
        mem::swap(&mut model.held[first], &mut model.others[other]);
    }
}

/// Records a step with the slices at two places.
fn step(
    rng: &mut Rng,
    kernels: &Kernels,
    model: &mut Model,
    places: &mut [&mut Slice],
    (s, launch): (&Recorder<'_, '_>, Launch<'_>),
    counts: &mut Counts,
) -> Outcome {
    let from_place = rng.below(places.len());
    let to_place = (from_place + 1 + rng.below(places.len() - 1)) % places.len();
    let [x, y] = places.get_disjoint_mut([from_place, to_place])?;
    let (from, to) = (model.held[from_place], model.held[to_place]);
    let [x_len, y_len] = [from, to].map(|slice| model.contents[slice].len());
    let mut step = Step {
        n: 1 + rng.below(N as usize),
        factor: 1.0,
        to: (to, 0),
        alpha: *rng.pick(&[1.0, -1.0]),
        from: (from, 0),
    };
    let mut is_held = [from, to].iter().all(|slice| model.at_first.contains(slice));
    let outcome = match rng.below(5) {
        0 => {
            (step.n, step.factor, step.alpha) = (y_len, 0.0, 0.0);
            step.from = step.to;
            is_held = model.at_first.contains(&to);
            s.memset_zeros(y)
        }
        1 => {
            (step.n, step.factor, step.alpha) = (x_len, 0.0, 1.0);
            s.memcpy_dtod(x, y)
        }
        2 => {
            (step.from.1, step.to.1) = (rng.below(x_len), rng.below(y_len));
            step.n = (x_len - step.from.1).min(y_len - step.to.1);
            let args =
                Views { n: step.n as u32, alpha: step.alpha, x: x.slice(step.from.1..), y: y.slice_mut(step.to.1..) };
            // SAFETY: each view has `n` elements.
            unsafe { kernel_args::launch(&kernels.views, launch, args) }
        }
        _ => {
            let args = Checked { n: step.n as u32, alpha: step.alpha, x, y };
            // SAFETY: the contracts compare `n` with the slices.
            unsafe { kernel_args::launch(&kernels.checked, launch, args) }
        }
    };
    let fits = step.n <= x_len.min(y_len) || step.from == step.to;
    if outcome.is_ok() != (is_held && fits) {
        let slices = format!("{from} at {from_place}, {to} at {to_place}");
        return Err(format!("{slices}, {} elements: {outcome:?}", step.n).into());
    }
    *match (fits, is_held) {
        (false, _) => &mut counts.too_long,
        (true, false) => &mut counts.not_held,
        (true, true) => &mut counts.recorded,
    } += 1;
    if outcome.is_ok() {
        model.steps.push(step);
    }
    Ok(())
}
