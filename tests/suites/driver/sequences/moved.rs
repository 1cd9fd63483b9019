//! External work that differs only in the addresses of its arguments: they are replaced in captured steps.

use crate::sequences::{
    external::{FEW, Library, axpy},
    stored::memory,
    world::{N, Outcome, World, external, new_sequence, trial},
};
use cudarc::driver::{CudaView, CudaViewMut, DevicePtr};
use kernel_args::{
    Error,
    sequence::{Handle, Run},
};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("work_of_layers_is_captured_three_times", layers),
        trial("random_work_with_other_addresses", random),
        trial("work_that_depends_on_addresses_is_captured", dependent),
        trial("one_of_256_moved_works_is_captured", checked),
    ]
}

const LEN: usize = N as usize;

/// The layers of a model, whose work changes in each step.
fn layers() -> Outcome {
    const LAYERS: usize = 12;
    const STEPS: usize = 5;
    let (world, x, _, mut sequence) = World::begin()?;
    let (x, library) = (Arc::new(x), Library::new(&world)?);
    for step in 1..=STEPS {
        let (alpha, run) = (step as f32, sequence.begin()?);
        run.keep(x.clone())?;
        let mut slices = Vec::new();
        for _ in 0..LAYERS {
            let mut y = run.alloc_zeros::<f32>(LEN)?;
            // One kernel, or a memset and two.
            axpy(&run, &library, FEW, alpha, &x, &mut y)?;
            axpy(&run, &library, N, 2.0 * alpha, &x, &mut y)?;
            slices.push(y);
        }
        run.finish()?;
        for y in &slices {
            let values = world.stream.clone_dtoh(&**y)?;
            let (low, high) = values.split_at(FEW as usize);
            assert!(low.iter().all(|value| *value == 3.0 * alpha), "{values:?}");
            assert!(high.iter().all(|value| *value == 2.0 * alpha), "{values:?}");
        }
        assert_eq!(library.calls(), 2 * 3 * step);
    }
    let counts = sequence.counts();
    let all = (2 * LAYERS * STEPS) as u64;
    assert_eq!((counts.captures, counts.captures + counts.moved), (library.calls() as u64, all));
    Ok(())
}

/// `y = y + alpha * (x + z)`
fn twice(
    run: &Run,
    library: &Handle<Library>,
    n: u32,
    alpha: f32,
    [x, z]: [CudaView<'_, f32>; 2],
    y: CudaViewMut<'_, f32>,
) -> Result<(), Error> {
    external(run, (library, n, alpha, x, z, y), |_, (library, n, alpha, x, z, mut y)| {
        // SAFETY: the trial passes views with `n` elements.
        unsafe { library.axpy(n, alpha, &x, &mut y) }?;
        // SAFETY: the same.
        Ok(unsafe { library.axpy(n, alpha, &z, &mut y) }?)
    })
}

/// Memory at random addresses: with other alignments, overlapping, equal.
fn random() -> Outcome {
    const ELEMENTS: usize = 4096;
    const STEP: usize = 128;
    let (world, mut rng) = (World::new()?, Rng::new(0x3043, 0));
    let library = Library::new(&world)?;
    let values: Vec<f32> = (0..ELEMENTS).map(|_| rng.below(8) as f32).collect();
    let x = Arc::new(world.stream.clone_htod(&values)?);
    let mut expected = vec![0.0_f32; ELEMENTS];
    let mut y = world.stream.clone_htod(&expected)?;
    let (mut sequence, mut works) = (new_sequence(&world.stream), 0_u64);
    for _ in 0..60 {
        let run = sequence.begin()?;
        run.keep(x.clone())?;
        // SAFETY: the slice outlives the sequence.
        unsafe { run.assume_held(memory(&y))? };
        let (n, alpha) = (*rng.pick(&[3, FEW, N]), rng.below(4) as f32);
        let is_aligned = rng.chance(70);
        for _ in 0..rng.below(16) {
            let mut at = || {
                let block = STEP * rng.below(ELEMENTS / STEP - 1);
                if is_aligned { block } else { block + rng.below(16) }
            };
            let (first, mut second, to) = (at(), at(), at());
            if rng.chance(30) {
                second = first + rng.below(2) * rng.below(8);
            }
            let len = n as usize;
            let from = [first, second].map(|at| x.slice(at..at + len));
            twice(&run, &library, n, alpha, from, y.slice_mut(to..to + len))?;
            (0..len).for_each(|i| expected[to + i] += alpha * (values[first + i] + values[second + i]));
            works += 1;
        }
        run.finish()?;
        assert_eq!(world.stream.clone_dtoh(&y)?, expected);
    }
    let counts = sequence.counts();
    assert_eq!(library.calls() as u64, 2 * counts.captures);
    assert!(counts.moved > 100 && counts.captures > 100 && counts.captures + counts.moved <= works, "{counts:?}");
    Ok(world.ctx.check_err()?)
}

/// Addresses do not explain the difference between two captures.
fn dependent() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let (x, library) = (Arc::new(x), Library::new(&world)?);
    for _ in 0..3 {
        let run = sequence.begin()?;
        run.keep(x.clone())?;
        let mut slices = Vec::new();
        for _ in 0..10 {
            let mut y = run.alloc_zeros::<f32>(LEN)?;
            external(&run, (&library, &*x, &mut *y), |stream, (library, x, mut y)| {
                let alpha = (y.device_ptr(stream).0 / 512 % 8) as f32;
                // SAFETY: the slices have `N` elements.
                Ok::<_, Error>(unsafe { library.axpy(N, alpha, &x, &mut y) }?)
            })?;
            slices.push(y);
        }
        run.finish()?;
        for y in slices {
            let alpha = memory(&y).start / 512 % 8;
            assert_eq!(world.value(&y)?, alpha as f32);
        }
    }
    assert_eq!(sequence.counts().moved, 0);
    Ok(())
}

/// Work that breaks its promise is found.
fn checked() -> Outcome {
    const CALLS: usize = 300;
    /// Three captures show where the addresses are. Then each 256th prediction is a capture too.
    const FOUND: usize = 3 + 255;
    const STEP: usize = 128;
    static ALPHA: AtomicU32 = AtomicU32::new(0);

    let (world, x, _, mut sequence) = World::begin()?;
    let (x, library) = (Arc::new(x), Library::new(&world)?);
    let mut y = world.stream.alloc_zeros::<f32>(CALLS * STEP)?;
    let run = sequence.begin()?;
    run.keep(x.clone())?;
    // SAFETY: the slice outlives the sequence.
    unsafe { run.assume_held(memory(&y))? };
    for call in 0..CALLS {
        ALPHA.store(if call < 3 { 1 } else { 2 }, Ordering::Relaxed);
        let to = y.slice_mut(call * STEP..call * STEP + LEN);
        external(&run, (&library, &*x, to), |_, (library, x, mut y)| {
            let alpha = ALPHA.load(Ordering::Relaxed) as f32;
            // SAFETY: the slices have `N` elements.
            Ok::<_, Error>(unsafe { library.axpy(FEW, alpha, &x, &mut y) }?)
        })?;
        let captured = if call < FOUND { 3.min(call + 1) } else { 4 + call - FOUND };
        assert_eq!(library.calls(), captured, "{call}");
    }
    run.finish()?;
    let values = world.stream.clone_dtoh(&y)?;
    for (call, values) in values.chunks(STEP).enumerate() {
        assert_eq!(values[0], if call < FOUND { 1.0 } else { 2.0 }, "{call}");
    }
    assert_eq!(sequence.counts().moved, 255);
    Ok(())
}
