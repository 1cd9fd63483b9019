//! Functions that promise values, while their stream is being captured: an error, or the values.
#![forbid(unsafe_code)]

use crate::sequences::world::{Outcome, World, new_sequence, says, trial, untracked};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use kernel_args::{
    Error,
    graph::Graph,
    sequence::{HostCopy, Pool, PoolSlice, Run},
};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{sync::mpsc, thread};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("zeros_of_a_pool_in_a_capture", pools),
        trial("random_zeros_of_a_pool_around_captures", random),
        trial("copies_in_a_run_in_a_capture", runs),
        trial("a_copy_for_the_host_that_is_awaited_in_a_capture", waits),
        trial("a_pool_gets_no_memory_of_a_graph", growth),
    ]
}

/// Who captures the stream.
#[derive(Clone, Copy, Debug)]
enum By {
    Graph,
    Cudarc(CUstreamCaptureMode),
    Thread,
}

const ALL: [By; 5] = [
    By::Graph,
    By::Cudarc(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL),
    By::Cudarc(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
    By::Cudarc(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED),
    By::Thread,
];

const FLAGS: CUgraphInstantiate_flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;

/// Runs `work` while the stream of `world` is being captured. The graph is never launched.
fn during<T>(world: &World, by: By, work: impl FnOnce() -> T) -> Outcome<T> {
    let stream = &world.stream;
    Ok(match by {
        By::Graph => {
            let mut value = None;
            drop(Graph::capture(stream, || {
                value = Some(work());
                Ok::<_, Error>(())
            })?);
            value.ok_or("a value")?
        }
        By::Cudarc(mode) => {
            stream.begin_capture(mode)?;
            let value = work();
            drop(stream.end_capture(FLAGS)?);
            value
        }
        By::Thread => thread::scope(|scope| {
            let (begun, has_begun) = mpsc::channel::<()>();
            let (ends, has_ended) = mpsc::channel::<()>();
            let thread = scope.spawn(move || {
                Graph::capture(stream, || {
                    begun.send(()).expect("the first thread");
                    has_ended.recv().expect("the first thread");
                    Ok::<_, Error>(())
                })
            });
            has_begun.recv().expect("a capture");
            let value = work();
            ends.send(()).expect("a capture");
            thread.join().expect("no panic").map(|_| value)
        })?,
    })
}

fn pools() -> Outcome {
    let world = World::new()?;
    let words = ["`alloc_zeros` of a pool", "while the stream is being captured", "before or after the capture"];
    for by in ALL {
        let pool = Pool::new(&world.stream);
        says(during(&world, by, || pool.alloc_zeros::<bool>(8))?, &words)?;
        assert_eq!(pool.memory_use().reserved, 0, "{by:?}");
        let warm = pool.alloc_zeros::<bool>(8)?;
        says(during(&world, by, || pool.alloc_zeros::<bool>(8))?, &words)?;
        drop(warm);
        let zeros = pool.alloc_zeros::<bool>(8)?;
        assert_eq!(world.stream.clone_dtoh(&*zeros)?, [false; 8]);
        drop(zeros);
        let reserved = pool.memory_use().reserved;
        during(&world, by, || pool.trim())?;
        assert_eq!(pool.memory_use().reserved, reserved, "{by:?}: the free would be part of the graph");
        pool.trim();
        assert_eq!(pool.memory_use().reserved, 0);
    }
    Ok(world.ctx.check_err()?)
}

/// What a slice has that is not an error is zero, whenever the stream is not being captured.
fn random() -> Outcome {
    let world = World::new()?;
    let (mut rng, pool) = (Rng::new(0xca97, 0), Pool::new(&world.stream));
    let mut slices: Vec<PoolSlice<u8>> = Vec::new();
    for _ in 0..200 {
        let lengths: Vec<usize> = (0..rng.below(5)).map(|_| *rng.pick(&[1, 8, 512, 513, 5000, 2 << 20])).collect();
        let alloc = || lengths.iter().map(|len| pool.alloc_zeros::<u8>(*len)).collect::<Vec<_>>();
        if rng.chance(40) {
            let by = *rng.pick(&ALL);
            slices.extend(during(&world, by, alloc)?.into_iter().flatten());
        } else {
            slices.extend(alloc().into_iter().collect::<Result<Vec<_>, _>>()?);
        }
        for slice in &slices {
            assert!(world.stream.clone_dtoh(&**slice)?.iter().all(|byte| *byte == 0));
        }
        // The next slices get this memory.
        slices.iter_mut().try_for_each(|slice| world.stream.memcpy_htod(&vec![7; slice.len()], &mut **slice))?;
        slices.clear();
        if rng.chance(10) {
            pool.trim();
        }
    }
    Ok(())
}

const VALUES: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn zeros(run: &Run) -> Result<HostCopy<u8>, Error> {
    run.clone_dtoh(&run.alloc_zeros::<u8>(8)?)
}

fn runs() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        let mut sequence = new_sequence(&world.stream);
        for by in ALL {
            // The sequence has memory.
            let copies = sequence.run(|s| Ok([zeros(s)?, s.clone_dtoh(&s.clone_htod(&VALUES)?)?]))?;
            assert_eq!(copies.map(|copy| copy.wait().ok()), [Some([0; 8].into()), Some(VALUES.into())]);
            world.ctx.synchronize()?;

            let mut copy = None;
            let captured = during(&world, by, || {
                sequence.run(|s| {
                    copy = Some(zeros(s)?);
                    Ok(())
                })
            })?;
            says(captured, &["the run of a sequence was not recorded", "being captured", "copies for the host"])?;
            says(copy.ok_or("a copy")?.wait(), &["the copy for the host was not recorded", "given up"])?;

            let captured = during(&world, by, || sequence.run(|s| s.clone_htod(&VALUES).map(drop)))?;
            says(captured, &["the run of a sequence was not recorded", "being captured", "copies from the host"])?;
            // A run that promises nothing: the captured graph would not keep its memory.
            let captured = during(&world, by, || sequence.run(|s| s.alloc_zeros::<u8>(8).map(drop)))?;
            says(captured, &["the run of a sequence was not captured", "does not keep the memory of its arguments"])?;
        }
        Ok(())
    })
}

fn waits() -> Outcome {
    let world = World::new()?;
    let words = ["`wait` for a copy to the host", "while the stream is being captured"];
    untracked(&world, || {
        let mut sequence = new_sequence(&world.stream);
        for by in ALL {
            let [first, second] = sequence.run(|s| {
                let values = s.clone_htod(&VALUES)?;
                Ok([s.clone_dtoh(&values)?, s.clone_dtoh(&values)?])
            })?;
            says(during(&world, by, || first.wait())?, &words)?;
            assert_eq!(second.wait()?, VALUES);
        }
        Ok(())
    })
}

fn growth() -> Outcome {
    let world = World::new()?;
    untracked(&world, || {
        for by in ALL {
            let mut sequence = new_sequence(&world.stream);
            let grown = during(&world, by, || sequence.run(|s| s.alloc_zeros::<u8>(8)))?;
            says(grown, &["an allocation of a pool without free memory", "while the stream is being captured"])?;
            let grown = during(&world, by, || sequence.run(|s| zeros(s)))?;
            says(grown, &["an allocation of a pool without free memory"])?;
            assert_eq!(sequence.memory_use().reserved, 0, "{by:?}");
            assert_eq!(sequence.run(|s| zeros(s))?.wait()?, [0; 8]);
        }
        Ok(())
    })
}
