//! Sorted ranges of addresses.

use core::{iter, ops::Range};
use cudarc::driver::sys::CUdeviceptr;

pub(crate) const ALL_MEMORY: Range<CUdeviceptr> = 0..CUdeviceptr::MAX;

/// Memory as ranges of addresses, sorted and without overlaps. Ranges that touch are one.
#[derive(Clone, Default)]
pub(crate) struct Ranges(Vec<Range<CUdeviceptr>>);

impl Ranges {
    pub(crate) fn insert(&mut self, new: Range<CUdeviceptr>) {
        if new.is_empty() {
            return;
        }
        let first = self.0.partition_point(|old| old.end < new.start);
        let after = self.0.partition_point(|old| old.start <= new.end);
        let Range { mut start, mut end } = new;
        for old in &self.0[first..after] {
            (start, end) = (start.min(old.start), end.max(old.end));
        }
        self.0.splice(first..after, iter::once(start..end));
    }

    pub(crate) fn remove(&mut self, old: Range<CUdeviceptr>) {
        let first = self.0.partition_point(|range| range.end <= old.start);
        let after = self.0.partition_point(|range| range.start < old.end);
        if first < after && !old.is_empty() {
            let rest = [self.0[first].start..old.start, old.end..self.0[after - 1].end];
            self.0.splice(first..after, rest.into_iter().filter(|range| !range.is_empty()));
        }
    }

    /// Replaces the ranges by a copy of `ranges`, and keeps the storage.
    pub(crate) fn copy_from(&mut self, ranges: &Self) {
        self.0.clone_from(&ranges.0);
    }

    /// Returns whether the range with this index, if there is one, contains this memory.
    #[inline(always)]
    pub(crate) fn has_at(&self, index: usize, address: CUdeviceptr, bytes: usize) -> bool {
        let range = self.0.get(index);
        range.is_some_and(|range| range.start <= address && bytes as CUdeviceptr <= range.end.saturating_sub(address))
    }

    pub(crate) fn find(&self, address: CUdeviceptr, bytes: usize) -> Option<usize> {
        let index = self.0.partition_point(|range| range.start <= address).checked_sub(1)?;
        self.has_at(index, address, bytes).then_some(index)
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.0.first() == Some(&ALL_MEMORY)
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    /// Against a set of bytes.
    #[test]
    fn a_range_is_found_if_each_byte_was_inserted_and_not_removed() {
        let mut state = 7_u64;
        let mut random = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % limit
        };
        for _ in 0..if cfg!(miri) { 3 } else { 200 } {
            let (mut ranges, mut bytes) = (Ranges::default(), vec![false; 200]);
            for _ in 0..random(12) {
                let (begin, size) = (random(180), random(20));
                ranges.insert(begin..begin + size);
                (begin..begin + size).for_each(|byte| bytes[byte as usize] = true);
                if random(3) == 0 {
                    let (begin, size) = (random(180), random(20));
                    ranges.remove(begin..begin + size);
                    (begin..begin + size).for_each(|byte| bytes[byte as usize] = false);
                }
            }
            for begin in 0..180 {
                for size in 1..20 {
                    let all = (begin..begin + size).all(|byte| bytes[byte as usize]);
                    assert_eq!(ranges.find(begin, size as usize).is_some(), all, "{begin}, {size}");
                }
            }
            assert!(ranges.0.is_sorted_by(|one, next| one.end < next.start));
        }
    }
}
