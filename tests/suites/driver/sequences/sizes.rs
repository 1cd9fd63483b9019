//! Allocations of all sizes: an allocation succeeds with all its bytes, or is an error.

use crate::sequences::world::{Outcome, World, new_sequence, says, trial};
use bytemuck::AnyBitPattern;
use cudarc::driver::{DevicePtr, DeviceRepr, ValidAsZeroBits, sys::CUdeviceptr};
use kernel_args::{
    Error,
    error::RunError,
    graph::Graph,
    sequence::{MemoryUse, Pool, PoolSlice, Run, Sequence},
};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::ops::Range;

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("allocations_near_every_boundary_have_all_their_bytes_or_are_errors", boundaries),
        trial("nodes_of_a_graph_near_every_boundary_have_all_their_bytes_or_are_errors", nodes),
        trial("an_allocation_that_no_slice_can_have_is_explained", explained),
    ]
}

/// What a machine without much memory can allocate.
const SMALL: u128 = 1 << 21;
/// What no machine can allocate.
const HUGE: u128 = 1 << 50;

/// Numbers of elements of this size next to powers of two of bytes, to the limits of types and to `limit`. Each results
/// in an allocation that is small, or that no machine has.
fn lengths(rng: &mut Rng, size: usize, limit: usize) -> Vec<usize> {
    let mut bytes: Vec<u128> = (0..=64).map(|shift| 1 << shift).collect();
    bytes.extend([isize::MAX as u128, usize::MAX as u128, limit as u128, limit as u128 * 4 / 5, 512 * 3, 512 * 7]);
    let mut all = Vec::new();
    for bytes in bytes {
        for around in [0, 1, 2, 7, 8, 9, 511, 512, 513, rng.below(2000) as u128] {
            for bytes in [bytes + around, bytes.saturating_sub(around)] {
                let len = bytes / size.max(1) as u128;
                let bytes = len * size as u128;
                if bytes <= SMALL || bytes >= HUGE {
                    all.push(usize::try_from(len).unwrap_or(usize::MAX));
                }
            }
        }
    }
    // Products that wrap to a small number.
    all.extend((1..4).map(|small| (usize::MAX / size.max(1)).wrapping_add(small)));
    all.sort_unstable();
    all.dedup();
    all
}

/// Where slices come from.
enum Source {
    Pool(Pool),
    Run(Sequence, Run),
}

impl Source {
    fn alloc<T: DeviceRepr + ValidAsZeroBits + AnyBitPattern>(
        &self,
        len: usize,
        zeros: bool,
    ) -> Result<PoolSlice<T>, Error> {
        match (self, zeros) {
            (Self::Pool(pool), true) => pool.alloc_zeros(len),
            (Self::Run(_, run), true) => run.alloc_zeros(len),
            // SAFETY: nothing reads it.
            (Self::Pool(pool), false) => unsafe { pool.alloc(len) },
            // SAFETY: the same.
            (Self::Run(_, run), false) => unsafe { run.alloc(len) },
        }
    }

    fn memory_use(&self) -> MemoryUse {
        match self {
            Self::Pool(pool) => pool.memory_use(),
            Self::Run(sequence, _) => sequence.memory_use(),
        }
    }
}

fn range<T: DeviceRepr>(slice: &PoolSlice<T>) -> Range<CUdeviceptr> {
    let begin = slice.device_ptr(slice.stream()).0;
    let bytes = slice.len().checked_mul(size_of::<T>()).and_then(|bytes| CUdeviceptr::try_from(bytes).ok());
    begin..begin.checked_add(bytes.expect("a size")).expect("an address")
}

fn each<T: DeviceRepr + ValidAsZeroBits + AnyBitPattern>(rng: &mut Rng, source: &Source, limit: usize) {
    for len in lengths(rng, size_of::<T>(), limit) {
        let (bytes, zeros) = (len as u128 * size_of::<T>() as u128, rng.below(2) == 0);
        let what = || format!("{len} elements of {} bytes, limit {limit}", size_of::<T>());
        let before = source.memory_use();
        match source.alloc::<T>(len, zeros) {
            Ok(slice) => {
                // Half of them next to a slice that is allocated behind it.
                let next = if rng.below(2) == 0 { source.alloc::<u8>(1, false).ok() } else { None };
                let memory = source.memory_use();
                assert!(bytes <= SMALL && bytes <= limit as u128, "{}: {bytes} bytes", what());
                assert!(slice.len() == len && memory.used - before.used >= bytes as usize, "{}", what());
                assert!(memory.used <= memory.reserved && memory.reserved <= limit, "{}: {memory:?}", what());
                if let Some(next) = next {
                    let (own, next) = (range(&slice), range(&next));
                    assert!(own.end <= next.start || next.end <= own.start, "{}: {own:x?}, {next:x?}", what());
                }
            }
            Err(Error::Run(RunError::NoMemory { requested, limit: own, .. })) => {
                let is_too_large = bytes > isize::MAX as u128;
                assert_eq!(requested == usize::MAX, is_too_large, "{}", what());
                assert!(requested as u128 >= bytes || is_too_large, "{}", what());
                assert!(own == limit.min(isize::MAX as usize), "{}: its limit is {own}", what());
                // A block is up to a quarter larger, and a chunk has room for the alignment. Chunks have blocks of
                // other sizes.
                assert!(before.reserved > 0 || bytes * 5 / 4 + 1024 > own as u128, "{}", what());
            }
            // The driver has no such memory.
            Err(_) => assert!(bytes >= HUGE, "{}", what()),
        }
        assert_eq!(source.memory_use().used, before.used, "{}", what());
    }
}

fn boundaries() -> Outcome {
    const LARGEST: usize = isize::MAX as usize;
    let world = World::new()?;
    let mut rng = Rng::new(0x5173, 0);
    for limit in
        [None, Some(0), Some(1000), Some(70_001), Some(1 << 20), Some(LARGEST), Some(LARGEST + 1), Some(usize::MAX)]
    {
        let (mut pool, mut sequence) = (Pool::new(&world.stream), new_sequence(&world.stream));
        if let Some(limit) = limit {
            (pool, sequence) = (pool.limit(limit), sequence.memory_limit(limit));
        }
        let run = sequence.begin()?;
        let limit = limit.unwrap_or(LARGEST);
        for source in [Source::Pool(pool), Source::Run(sequence, run)] {
            each::<u8>(&mut rng, &source, limit);
            each::<u16>(&mut rng, &source, limit);
            each::<[u8; 3]>(&mut rng, &source, limit);
            each::<u64>(&mut rng, &source, limit);
            each::<[u32; 64]>(&mut rng, &source, limit);
            each::<[u8; 0]>(&mut rng, &source, limit);
        }
    }
    // The driver's errors of allocations that no machine has.
    let _ = world.ctx.check_err();
    Ok(())
}

fn nodes() -> Outcome {
    let world = World::new()?;
    let mut rng = Rng::new(0x5173, 1);
    let mut graph = Graph::new(&world.ctx)?;
    let target = graph.add_alloc::<u64>(4, &[])?;
    for len in lengths(&mut rng, 8, usize::MAX) {
        let bytes = len as u128 * 8;
        if let Ok(memory) = graph.add_alloc::<u64>(len, &[]) {
            assert!(memory.len() == len && bytes > 0 && bytes <= SMALL, "{len}");
        }
        let is_inside = (1..=4).contains(&len);
        assert_eq!(graph.add_memset(target.pointer(), 0, len, &[]).is_ok(), is_inside, "{len}");
        assert_eq!(graph.add_memcpy(target.pointer(), target.pointer(), len, &[]).is_ok(), is_inside, "{len}");
    }
    Ok(())
}

fn explained() -> Outcome {
    let world = World::new()?;
    let pool = Pool::new(&world.stream).limit(usize::MAX);
    let words = ["more than 9223372036854775807 bytes", "check the number of elements"];
    says(pool.alloc_zeros::<u8>(usize::MAX), &words)?;
    says(pool.alloc_zeros::<u64>(1 << 60), &words)?;
    let mut sequence = new_sequence(&world.stream).memory_limit(1 << 20);
    let run = sequence.begin()?;
    says(run.alloc_zeros::<f32>(1 << 20), &["of 4194304 bytes", "its limit is 1048576 bytes", "a larger limit"])
}
