//! Kept values that do not report the same memory in each call.
#![forbid(unsafe_code)]

use crate::sequences::world::{Outcome, World, enqueues_early, new_sequence, says, trial};
use cudarc::driver::CudaSlice;
use kernel_args::sequence::{Keep, KeptMemory, PoolSlice, Run, RunMode};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, OnceLock},
};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("a_kept_value_that_reports_less_memory_later_is_refused", less),
        trial("random_reports_of_kept_values", random),
        trial("a_kept_value_that_panics_when_it_reports", panics),
        trial("a_kept_value_that_uses_its_run_when_it_reports", reenters),
        trial("a_kept_value_whose_memory_is_allocated_later", later),
    ]
}

type Slice = Arc<CudaSlice<f32>>;

/// The masks of the calls.
type Reports = Arc<Mutex<Vec<usize>>>;

/// Reports the slices of the next mask in each call. The last mask is used again.
struct Liar {
    slices: Vec<Slice>,
    masks: Vec<usize>,
    reports: Reports,
}

impl Liar {
    fn new(slices: &[Slice], masks: &[usize]) -> Self {
        Self { slices: slices.to_vec(), masks: masks.to_vec(), reports: Reports::default() }
    }
}

/// Whether all reports from a call on have what the first one has.
fn are_right(reports: &Reports, from: usize) -> bool {
    let reports = reports.lock().expect("no panic");
    reports[from..].iter().all(|mask| reports[0] & !mask == 0)
}

impl Keep for Liar {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        let mut reports = self.reports.lock().expect("no panic");
        let mask = self.masks[reports.len().min(self.masks.len() - 1)];
        reports.push(mask);
        for (at, slice) in self.slices.iter().enumerate() {
            if mask >> at & 1 == 1 {
                memory.add(&**slice);
            }
        }
    }
}

const REFUSED: [&str; 3] = [
    "the run of a sequence was not recorded",
    "does not report a slice that it reported when it was kept",
    "Keep::memory",
];

/// A slice that belongs to another stream is freed on that stream: the run must be recorded as its use.
fn less() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let other = world.ctx.new_stream()?;
    let (mine, theirs) = (Arc::new(x), Arc::new(other.clone_htod(&[2.0_f32; 32])?));
    world.settle()?;
    let mut expected = 0.0;
    let mut y = sequence.run(|s| s.alloc_zeros::<f32>(32))?;
    for (masks, is_right) in [([0b11, 0b01], false), ([0b10, 0b00], false), ([0b11, 0b11], true), ([0b10, 0b11], true)]
    {
        let run = sequence.begin()?;
        run.keep(Liar::new(&[mine.clone(), theirs.clone()], &masks))?;
        world.saxpy(1.0, &theirs, &mut y, &run)?;
        let outcome = run.finish();
        if is_right {
            expected += 2.0;
            outcome?;
        } else {
            says(outcome, &REFUSED)?;
        }
        assert_eq!(world.value(&y)?, expected, "{masks:?}");
        assert_eq!([&mine, &theirs].map(Arc::strong_count), [1, 1]);
    }
    Ok(())
}

/// The first one has fewer slices.
fn masks(rng: &mut Rng) -> Vec<usize> {
    let first = rng.below(16) & rng.below(16);
    [first].into_iter().chain((0..3).map(|_| rng.below(16) | rng.below(16))).collect()
}

fn random() -> Outcome {
    const SLICES: usize = 4;
    let world = World::new()?;
    let (mut rng, other) = (Rng::new(0x6ee9, 0), world.ctx.new_stream()?);
    let (mut refused, mut enqueued) = (0, 0);
    for _ in 0..100 {
        let streams = [&world.stream, &other];
        let slices: Result<Vec<Slice>, _> =
            (0..SLICES).map(|at| streams[at % 2].clone_htod(&[(1 << at) as f32; 32]).map(Arc::new)).collect();
        let slices = slices?;
        world.settle()?;
        let mut sequence = new_sequence(&world.stream);
        let mut masks = || masks(&mut rng);
        let of_always = masks();
        let liar = Liar::new(&slices, &of_always);
        let (of_sequence, always) = (liar.reports.clone(), of_always[0]);
        sequence.keep(liar)?;
        let mut y: Option<PoolSlice<f32>> = None;
        for _ in 0..3 {
            let masks = masks();
            let (run, liar) = (sequence.begin()?, Liar::new(&slices, &masks));
            let (of_run, before) = (liar.reports.clone(), of_sequence.lock().expect("no panic").len());
            run.keep(liar)?;
            let mut sum = run.alloc_zeros::<f32>(32)?;
            let known = always | masks[0];
            for (at, slice) in slices.iter().enumerate() {
                let outcome = world.saxpy(1.0, slice, &mut sum, &run);
                assert_eq!(outcome.is_ok(), known >> at & 1 == 1);
            }
            let outcome = run.finish();
            if are_right(&of_run, 0) && are_right(&of_sequence, before) {
                outcome?;
                assert_eq!(world.value(&sum)?, known as f32);
                y = Some(sum);
                enqueued += 1;
            } else {
                says(outcome, &REFUSED)?;
                refused += 1;
            }
        }
        world.settle()?;
        drop(y);
        drop(sequence);
        assert!(slices.iter().all(|slice| Arc::strong_count(slice) == 1));
    }
    assert!(refused > 50 && enqueued > 50, "{refused} {enqueued}");
    Ok(world.ctx.check_err()?)
}

/// Calls its function each time, with the number of the call.
struct Calls<F: Fn(usize) + Send + 'static>(Slice, Mutex<usize>, F);

impl<F: Fn(usize) + Send + 'static> Keep for Calls<F> {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        let call = {
            let mut calls = self.1.lock().expect("no panic");
            *calls += 1;
            *calls
        };
        memory.add(&*self.0);
        (self.2)(call);
    }
}

fn panics() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let step = |run: &Run| {
        let mut y = run.alloc_zeros::<f32>(32)?;
        world.saxpy(1.0, &x, &mut y, run)?;
        Ok::<_, kernel_args::Error>(y)
    };
    // The calls when it is kept, for the first segment and for the run.
    let of_segment = enqueues_early().then_some(2);
    let of_run = if enqueues_early() { 3 } else { 2 };
    for panicking in [1, 2, 3, 4, 3, 2, 1] {
        let run = sequence.begin()?;
        let value = Calls(x.clone(), Mutex::new(0), move |call| assert!(call != panicking, "on purpose"));
        let kept = catch_unwind(AssertUnwindSafe(|| run.keep(value)));
        if panicking == 1 {
            assert!(kept.is_err());
            assert_eq!(Arc::strong_count(&x), 1);
            says(step(&run), &["`x`", "does not hold"])?;
            run.keep(x.clone())?;
        }
        let recorded = catch_unwind(AssertUnwindSafe(|| step(&run)));
        assert_eq!(recorded.is_err(), Some(panicking) == of_segment);
        // The rest waits for the end of the run.
        let y = recorded.unwrap_or_else(|_| step(&run))?;
        let outcome = catch_unwind(AssertUnwindSafe(|| run.finish()));
        assert_eq!(outcome.is_err(), panicking == of_run);
        if panicking != of_run {
            assert_eq!(world.value(&y)?, 1.0);
        }
        drop(y);
        assert_eq!((Arc::strong_count(&x), sequence.memory_use().used), (1, 0));
    }
    assert_eq!(*sequence.mode(), RunMode::Updated(0));
    Ok(())
}

fn reenters() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let (x, other) = (Arc::new(x), Arc::new(world.slice(5.0)?));
    for _ in 0..3 {
        let run = sequence.begin()?;
        let (clone, more, stream) = (run.clone(), other.clone(), world.stream.clone());
        run.keep(Calls(x.clone(), Mutex::new(0), move |call| {
            let kept = clone.keep(more.clone());
            assert_eq!(kept.is_ok(), call == 1, "a run that ends keeps nothing");
            assert!(clone.clone().finish().is_err());
            let records = call == 1 || (call == 2 && enqueues_early());
            assert_eq!(kernel_args::sequence::is_recording(&stream), records);
            assert_eq!(clone.alloc_zeros::<f32>(32).is_ok(), call == 1);
        }))?;
        let mut y = run.alloc_zeros::<f32>(32)?;
        world.saxpy(1.0, &x, &mut y, &run)?;
        world.saxpy(1.0, &other, &mut y, &run)?;
        run.finish()?;
        assert_eq!(world.value(&y)?, 6.0);
        assert_eq!([&x, &other].map(Arc::strong_count), [1, 1]);
    }
    Ok(())
}

/// More memory than before is right: a cache that is allocated when it is first used.
struct Lazy(OnceLock<CudaSlice<f32>>);

impl Keep for Lazy {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        if let Some(slice) = self.0.get() {
            memory.add(slice);
        }
    }
}

fn later() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let lazy = Arc::new(Lazy(OnceLock::new()));
    sequence.keep(lazy.clone())?;
    let mut x = Some(x);
    for run in 0..3 {
        let recorder = sequence.begin()?;
        if let Some(x) = x.take_if(|_| run == 1) {
            assert!(lazy.0.set(x).is_ok());
        }
        let mut y = recorder.alloc_zeros::<f32>(32)?;
        if let Some(x) = lazy.0.get() {
            // The sequence does not know it, the run does.
            says(world.saxpy(1.0, x, &mut y, &recorder), &["`x`", "does not hold"])?;
            recorder.keep(lazy.clone())?;
            world.saxpy(1.0, x, &mut y, &recorder)?;
        }
        recorder.finish()?;
        assert_eq!(world.value(&y)?, if run == 0 { 0.0 } else { 1.0 });
    }
    Ok(())
}
