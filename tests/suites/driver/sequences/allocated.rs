//! Memory that a run allocates, and memory of a pool for plain launches.

use crate::sequences::{
    stored::memory,
    world::{N, Outcome, World, new_sequence, says, trial, untracked},
};
use cudarc::driver::{
    CudaSlice, DevicePtr,
    sys::{CUdeviceptr, CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use kernel_args::{
    Error,
    error::RunError,
    sequence::{Pool, PoolSlice, Run, RunMode, Sequence},
};
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{
    collections::BTreeSet,
    mem,
    sync::{Arc, mpsc},
    thread,
};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("allocations_of_equal_runs_have_the_same_addresses", equal),
        trial("memory_is_used_again_in_the_order_of_the_steps", in_order),
        trial("a_cache_that_grows_moves_nothing_else", concatenated),
        trial("memory_that_is_used_again_orders_branches", parallel),
        trial("allocated_memory_outlives_its_run", outlives),
        trial("allocations_of_a_run_that_is_given_up", given_up),
        trial("the_memory_of_a_sequence_is_bounded_and_trimmed", bounded),
        trial("slices_of_a_pool_that_are_exchanged", exchanged),
        trial("a_slice_that_is_taken_out_of_a_pool", taken),
        trial("memory_of_another_sequence", other_sequence),
        trial("memory_of_a_pool_on_other_streams", other_streams),
        trial("memory_of_a_pool_on_other_threads", threads),
        trial("slices_that_other_threads_drop_while_a_run_records", dropped_elsewhere),
        trial("a_pool_for_plain_launches", plain),
        trial("slices_of_a_pool_for_captured_launches", captured),
    ]
}

const LEN: usize = N as usize;

fn address(slice: &CudaSlice<f32>) -> CUdeviceptr {
    memory(slice).start
}

/// `y = a + b`, in new memory.
fn add(world: &World, run: &Run, a: &CudaSlice<f32>, b: &CudaSlice<f32>) -> Result<PoolSlice<f32>, Error> {
    // SAFETY: the launch writes all elements.
    let mut y = unsafe { run.alloc(LEN)? };
    world.add(a, b, &mut y, run)?;
    Ok(y)
}

fn equal() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let (x, mut seen) = (Arc::new(x), BTreeSet::new());
    for run in 1..6 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        // SAFETY: the slice outlives the run.
        unsafe { recorder.assume_held(memory(&y))? };
        let mut addresses = Vec::new();
        let mut kept = Vec::new();
        let mut last = add(&world, &recorder, &x, &x)?;
        for step in 0..20 {
            let next = add(&world, &recorder, &last, &x)?;
            addresses.push(address(&next));
            let old = mem::replace(&mut last, next);
            // They are dropped in another order in each run.
            if (step * 7 + run) % 3 == 0 {
                kept.push(old);
            }
        }
        world.saxpy(1.0, &last, &mut &mut y, &recorder)?;
        if run % 2 == 0 {
            kept.reverse();
        }
        recorder.finish()?;
        if run > 2 {
            seen.insert(addresses);
        }
        assert_eq!(world.value(&y)?, 22.0 * run as f32);
    }
    // Runs that drop different slices are different; here is a run that repeats itself.
    let mut modes = Vec::new();
    for _ in 0..4 {
        let run = sequence.begin()?;
        run.keep(x.clone())?;
        let (first, second) = (add(&world, &run, &x, &x)?, add(&world, &run, &x, &x)?);
        let third = add(&world, &run, &first, &second)?;
        drop(first);
        let last = add(&world, &run, &second, &third)?;
        modes.push((run.finish()?, [&second, &third, &last].map(|slice| address(slice))));
        assert_eq!(world.value(&last)?, 6.0);
    }
    assert!(modes[1..].iter().all(|mode| *mode == (RunMode::Updated(0), modes[0].1)), "{modes:?}");
    Ok(())
}

/// Caches that grow by concatenation, between temporaries of the same class of sizes.
fn concatenated() -> Outcome {
    const CACHES: usize = 4;
    let (world, x, _, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let mut caches: Vec<PoolSlice<f32>> = Vec::new();
    let (mut updated, mut reserved) = (Vec::new(), Vec::new());
    for run in 0..40 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        let before = sequence.counts().updated_nodes;
        for cache in 0..CACHES {
            let temporaries: Result<Vec<_>, Error> = (0..3).map(|_| recorder.alloc_zeros::<f32>(LEN)).collect();
            let len = caches.get(cache).map_or(0, |cache| cache.len());
            let mut new = recorder.alloc_zeros::<f32>(len + 1)?;
            if let Some(old) = caches.get(cache) {
                recorder.memcpy_dtod(old, &mut new.slice_mut(..len))?;
            }
            recorder.memcpy_dtod(&x.slice(..1), &mut new.slice_mut(len..))?;
            for temporary in &mut temporaries? {
                world.saxpy(1.0, &x, temporary, &recorder)?;
            }
            match caches.get_mut(cache) {
                Some(old) => *old = new,
                None => caches.push(new),
            }
        }
        recorder.finish()?;
        for cache in &caches {
            assert_eq!(world.stream.clone_dtoh(&**cache)?, vec![1.0; run + 1]);
        }
        updated.push(sequence.counts().updated_nodes - before);
        reserved.push(sequence.memory_use().reserved);
    }
    // The memset and the two copies of each cache.
    assert!(updated[4..].iter().all(|updated| *updated == 3 * CACHES as u64), "{updated:?}");
    assert_eq!(reserved[4], reserved[39]);
    Ok(())
}

fn in_order() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    for run in 0..3 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        let mut sum = recorder.alloc_zeros::<f32>(LEN)?;
        let mut addresses = BTreeSet::new();
        for step in 0..30 {
            let mut part = recorder.alloc_zeros::<f32>(LEN)?;
            addresses.insert(address(&part));
            world.saxpy(step as f32, &x, &mut part, &recorder)?;
            world.saxpy(1.0, &part, &mut sum, &recorder)?;
        }
        assert_eq!(addresses.len(), 1, "each part has the memory of the part before");
        assert_eq!(recorder.finish()?, if run == 0 { RunMode::Built } else { RunMode::Updated(0) });
        assert_eq!(world.value(&sum)?, (0..30).sum::<i32>() as f32);
    }
    Ok(())
}

fn parallel() -> Outcome {
    let world = World::new()?;
    let x = Arc::new(world.slice(1.0)?);
    // SAFETY: the kernels use only the memory of their arguments.
    let mut sequence = unsafe { new_sequence(&world.stream).parallel() };
    for _ in 0..4 {
        let run = sequence.begin()?;
        run.keep(x.clone())?;
        let mut results = Vec::new();
        for step in 0..6 {
            let first = add(&world, &run, &x, &x)?;
            // It has the memory of the `second` of the step before.
            let mut second = add(&world, &run, &first, &x)?;
            drop(first);
            world.saxpy(step as f32, &x, &mut second, &run)?;
            results.push(add(&world, &run, &second, &x)?);
        }
        run.finish()?;
        for (step, result) in results.iter().enumerate() {
            assert_eq!(world.value(result)?, 4.0 + step as f32);
        }
    }
    assert!(sequence.longest_chain() > 4, "steps with the same memory wait for each other");
    Ok(())
}

/// A cache that each run reads, and replaces by a longer one.
fn outlives() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let mut cache: Option<PoolSlice<f32>> = None;
    for length in 1..40 {
        let run = sequence.begin()?;
        run.keep(x.clone())?;
        // SAFETY: the copies write all elements.
        let mut longer = unsafe { run.alloc::<f32>(length * LEN)? };
        if let Some(cache) = &cache {
            run.memcpy_dtod(cache, &mut longer)?;
        }
        run.memcpy_dtod(&*x, &mut longer.slice_mut((length - 1) * LEN..))?;
        cache = Some(longer);
        run.finish()?;
        let cache = cache.as_ref().ok_or("a cache")?;
        assert_eq!(world.stream.clone_dtoh(&**cache)?, vec![1.0; length * LEN]);
    }
    drop(sequence);
    assert_eq!(world.stream.clone_dtoh(&*cache.ok_or("a cache")?)?.len(), 39 * LEN);
    Ok(())
}

fn given_up() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    for run in 0..6 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        let mut y = recorder.alloc_zeros::<f32>(LEN)?;
        world.saxpy(1.0, &x, &mut y, &recorder)?;
        if run % 2 == 0 {
            drop(recorder);
            // It is allocated, whatever it contains.
            world.stream.clone_dtoh(&*y)?;
        } else {
            recorder.finish()?;
            assert_eq!(world.value(&y)?, 1.0);
        }
    }
    assert_eq!(sequence.memory_use().used, 0);
    let run = sequence.begin()?;
    let stale = run.clone();
    run.finish()?;
    says(stale.alloc_zeros::<f32>(1), &["an allocation was not recorded", "is over"])
}

fn bounded() -> Outcome {
    let (world, _, _, sequence) = World::begin()?;
    let mut sequence = sequence.memory_limit(1 << 20);
    let run = sequence.begin()?;
    let slice = run.alloc_zeros::<u8>(700_000)?;
    let error = run.alloc_zeros::<u8>(400_000).map(drop);
    assert!(matches!(error, Err(Error::Run(RunError::NoMemory { .. }))));
    says(error, &["no memory for an allocation of", "its limit is 1048576 bytes", "trim"])?;
    says(run.alloc_zeros::<u64>(usize::MAX / 4), &["no memory"])?;
    let first = address_of(&slice);
    drop(slice);
    // The memory of the first slice.
    let slice = run.alloc_zeros::<u8>(690_000)?;
    assert_eq!(address_of(&slice), first);
    says(sequence.trim(), &["not over"])?;
    run.finish()?;
    let memory = sequence.memory_use();
    assert!(memory.used >= 690_000 && memory.reserved <= 1 << 20 && memory.peak >= memory.used, "{memory:?}");
    sequence.trim()?;
    assert_eq!(sequence.memory_use(), memory, "a slice has it");
    drop(slice);
    sequence.trim()?;
    assert_eq!((sequence.memory_use().used, sequence.memory_use().reserved), (0, 0));
    // Memory of a different size, in other chunks.
    for run in 1..20 {
        let recorder = sequence.begin()?;
        let slices: Result<Vec<_>, Error> = (0..run).map(|_| recorder.alloc_zeros::<u8>(run * 1000)).collect();
        let slices = slices?;
        recorder.finish()?;
        for slice in &slices {
            assert!(world.stream.clone_dtoh(&**slice)?.iter().all(|byte| *byte == 0));
        }
        drop(slices);
        if run % 3 == 0 {
            sequence.trim()?;
        }
    }
    Ok(())
}

fn address_of(slice: &CudaSlice<u8>) -> CUdeviceptr {
    slice.device_ptr(slice.stream()).0
}

fn exchanged() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    for run in 0..8 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        // Slices of different lengths, whose blocks have different sizes.
        let (mut short, mut long) = (recorder.alloc_zeros::<f32>(LEN)?, recorder.alloc_zeros::<f32>(LEN * 1000)?);
        mem::swap(&mut *short, &mut *long);
        assert_eq!((short.len(), long.len()), (LEN * 1000, LEN));
        world.saxpy(1.0, &x, &mut long, &recorder)?;
        if run % 2 == 0 {
            drop(short);
        }
        // If the pool had mistaken the blocks, this one would be too short.
        let mut large = recorder.alloc_zeros::<f32>(LEN * 1000)?;
        recorder.memcpy_dtod(&long, &mut large.slice_mut(LEN * 999..))?;
        recorder.finish()?;
        assert_eq!(world.value(&long)?, 1.0);
        let values = world.stream.clone_dtoh(&*large)?;
        assert!(values[..LEN * 999].iter().all(|value| *value == 0.0) && values[LEN * 999..] == [1.0; LEN]);
        drop((large, long));
    }
    assert_eq!(sequence.memory_use().used, 0);
    Ok(())
}

fn taken() -> Outcome {
    let (world, _, plain, mut sequence) = World::begin()?;
    let run = sequence.begin()?;
    let mut slice = run.alloc_zeros::<f32>(LEN)?;
    // The program has the slice, and the run frees `plain`.
    let taken = mem::replace(&mut *slice, plain);
    drop(slice);
    let others: Result<Vec<_>, _> = (0..40).map(|_| run.alloc_zeros::<f32>(LEN)).collect();
    let others = others?;
    assert!(others.iter().all(|other| address(other) != address(&taken)), "its memory belongs to the program");
    run.finish()?;
    assert_eq!(world.value(&taken)?, 0.0);
    drop(others);
    sequence.trim()?;
    drop(sequence);
    assert_eq!(world.value(&taken)?, 0.0, "its chunk stays allocated");
    // cudarc cannot free it.
    drop(taken);
    assert!(world.ctx.check_err().is_err());
    Ok(())
}

fn other_sequence() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let (x, mut second) = (Arc::new(x), new_sequence(&world.stream));
    for run in 1..4 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        let sum = add(&world, &recorder, &x, &x)?;
        recorder.finish()?;
        let recorder = second.begin()?;
        // SAFETY: the slice outlives the run.
        unsafe { recorder.assume_held(memory(&y))? };
        says(world.saxpy(1.0, &sum, &mut &mut y, &recorder), &["`x`", "does not hold"])?;
        let sum = Arc::new(sum);
        recorder.keep(sum.clone())?;
        world.saxpy(1.0, &sum, &mut &mut y, &recorder)?;
        drop(sum);
        // Its memory is still used by the second run.
        let other = sequence_slice(&mut sequence)?;
        recorder.finish()?;
        assert_eq!((world.value(&y)?, world.value(&other)?), (2.0 * run as f32, 0.0));
    }
    Ok(())
}

/// Memory of a sequence on a stream on which another run records.
fn sequence_slice(sequence: &mut Sequence) -> Result<PoolSlice<f32>, Error> {
    let run = kernel_args::graph::run_now(|| sequence.begin())?;
    let slice = run.alloc_zeros(LEN)?;
    run.finish()?;
    Ok(slice)
}

fn other_streams() -> Outcome {
    let world = World::new()?;
    let (x, other) = (Arc::new(world.slice(1.0)?), world.ctx.new_stream()?);
    let mut sequence = new_sequence(&world.stream);
    let mut last: Option<PoolSlice<f32>> = None;
    for run in 1..30 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        let mut y = recorder.alloc_zeros::<f32>(LEN)?;
        for _ in 0..10 {
            world.saxpy(1.0, &x, &mut y, &recorder)?;
        }
        if let Some(last) = &last {
            // It was written on the other stream.
            world.saxpy(1.0, last, &mut y, &recorder)?;
        }
        recorder.finish()?;
        world.settle()?;
        let expected = if last.is_some() { 10.0 + run as f32 - 1.0 } else { 10.0 };
        assert_eq!(other.clone_dtoh(&*y)?, [expected; LEN]);
        other.memcpy_htod(&[run as f32; LEN], &mut *y)?;
        world.settle()?;
        last = Some(y);
    }
    Ok(())
}

fn threads() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    for _ in 0..4 {
        let run = sequence.begin()?;
        run.keep(x.clone())?;
        let mut slices: Vec<_> = (0..8).map(|_| add(&world, &run, &x, &x)).collect::<Result<_, _>>()?;
        let rest = slices.split_off(4);
        thread::scope(|scope| drop(scope.spawn(|| drop(rest))));
        let more: Vec<_> = (0..4).map(|_| add(&world, &run, &slices[0], &x)).collect::<Result<_, _>>()?;
        run.finish()?;
        for (slice, value) in slices.iter().map(|slice| (slice, 2.0)).chain(more.iter().map(|slice| (slice, 3.0))) {
            assert_eq!(world.value(slice)?, value);
        }
    }
    Ok(())
}

/// No launch fails because a different thread drops a slice at that time, and no thread waits for a closure that waits
/// for it.
fn dropped_elsewhere() -> Outcome {
    let (world, x, _, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let (sender, receiver) = mpsc::channel::<PoolSlice<f32>>();
    let dropping = thread::spawn(move || receiver.into_iter().for_each(drop));
    for _ in 0..20 {
        let run = sequence.begin()?;
        run.keep(x.clone())?;
        let mut sum = run.alloc_zeros::<f32>(LEN)?;
        for _ in 0..50 {
            let part = add(&world, &run, &x, &x)?;
            world.saxpy(1.0, &part, &mut sum, &run)?;
            sender.send(part)?;
        }
        run.finish()?;
        assert_eq!(world.value(&sum)?, 100.0);
    }
    drop(sender);
    dropping.join().expect("no panic");
    assert_eq!(sequence.memory_use().used, 0);

    let (mut first, mut used) = (None, 0);
    for _ in 0..3 {
        let slices = sequence.run(|s| {
            let slices: Vec<_> = (0..4).map(|_| s.alloc_zeros::<f32>(LEN)).collect::<Result<_, _>>()?;
            let addresses: Vec<_> = slices.iter().map(|slice| address(slice)).collect();
            assert_eq!(*first.get_or_insert_with(|| addresses.clone()), addresses);
            thread::scope(|scope| scope.spawn(|| drop(slices)).join()).expect("no panic");
            s.alloc_zeros::<f32>(LEN)
        })?;
        used = sequence.memory_use().used;
        drop(slices);
    }
    assert_eq!((used, sequence.memory_use().used), (512, 0), "the run has dropped what the thread could not");
    // The last slice of a pool that its sequence has left, on any thread.
    let run = sequence.begin()?;
    let slices = [run.alloc_zeros::<f32>(LEN)?, run.alloc_zeros(LEN)?];
    run.finish()?;
    drop(sequence);
    for slice in slices {
        assert_eq!(world.value(&slice)?, 0.0);
        thread::spawn(|| drop(slice)).join().expect("no panic");
    }
    Ok(world.ctx.check_err()?)
}

fn plain() -> Outcome {
    let world = World::new()?;
    let (x, pool) = (world.slice(1.0)?, Pool::new(&world.stream).limit(1 << 16));
    for run in 1..10 {
        let mut sum = pool.alloc_zeros::<f32>(LEN)?;
        for _ in 0..run {
            // SAFETY: the launch writes all elements.
            let mut part = unsafe { pool.alloc::<f32>(LEN)? };
            world.add(&x, &x, &mut part, &world.stream)?;
            world.saxpy(1.0, &part, &mut sum, &world.stream)?;
        }
        assert_eq!(world.value(&sum)?, 2.0 * run as f32);
    }
    says(pool.alloc_zeros::<f32>(1 << 20), &["no memory", "its limit is 65536 bytes"])?;
    let memory = pool.memory_use();
    assert!(memory.used == 0 && memory.peak == 1024 && memory.reserved <= 1 << 16, "{memory:?}");
    // A larger slice fits after the free memory was freed.
    let large = pool.alloc_zeros::<u8>(50_000)?;
    assert_eq!(world.stream.clone_dtoh(&*large)?, vec![0; 50_000]);
    drop(large);
    pool.trim();
    assert_eq!(pool.memory_use().reserved, 0);
    Ok(())
}

/// The nodes run after all slices of a block were made, the last of which is the smallest.
fn captured() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let (ones, mut sum) = (world.slice(1.0)?, world.slice(0.0)?);
        let pool = Pool::new(&world.stream);
        let smaller = |len: usize| -> Outcome {
            // SAFETY: all bytes are written.
            let mut part = unsafe { pool.alloc::<u8>(len)? };
            Ok(world.stream.memset_zeros(&mut *part)?)
        };
        // The pool gets no memory during a capture.
        smaller(4 * LEN)?;
        world.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
        let mut step = || -> Outcome {
            // SAFETY: the launch writes all elements.
            let mut two = unsafe { pool.alloc::<f32>(LEN)? };
            world.add(&ones, &ones, &mut two, &world.stream)?;
            world.saxpy(1.0, &two, &mut &mut sum, &world.stream)?;
            drop(two);
            [100, 5, 1].into_iter().try_for_each(smaller)
        };
        let captured = step();
        let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
        let graph = world.stream.end_capture(flags)?.ok_or("a graph")?;
        captured?;
        for launch in 1..4 {
            graph.launch()?;
            assert_eq!(world.value(&sum)?, 2.0 * launch as f32);
        }
        Ok(())
    })
}
