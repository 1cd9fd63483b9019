//! The parts of a file that were read, so no part is read twice.

use std::collections::BTreeMap;

/// Ranges that do not overlap: each start with its end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Returns the parts of a range that were not in the set, in order: start and size.
    pub(super) fn add(&mut self, start: u64, size: u64) -> Vec<(u64, u64)> {
        let end = start.saturating_add(size);
        let (mut from, mut first, mut last) = (start, start, end);
        let mut parts = Vec::new();
        // A range that begins before the new one can extend into it.
        let before = self.0.range(..start).next_back();
        let before = before.filter(|(_, known)| **known >= start);
        let known: Vec<(u64, u64)> =
            before.into_iter().chain(self.0.range(start..=end)).map(|(start, end)| (*start, *end)).collect();
        for (known, known_end) in known {
            if known > from {
                parts.push((from, known - from));
            }
            from = from.max(known_end);
            (first, last) = (first.min(known), last.max(known_end));
            self.0.remove(&known);
        }
        if from < end {
            parts.push((from, end - from));
        }
        if first < last {
            self.0.insert(first, last);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn each_byte_is_returned_once() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let mut ranges = Ranges::default();
            let mut seen = [false; 64];
            for _ in 0..20 {
                let (start, size) = (random.usize(..64), random.usize(..40));
                let size = size.min(64 - start);
                let parts = ranges.add(start as u64, size as u64);
                let parts = parts.into_iter().map(|(at, size)| at..at + size);
                let parts: Vec<usize> = parts.flatten().map(|at| at as usize).collect();
                let new: Vec<usize> = (start..start + size).filter(|&at| !seen[at]).collect();
                assert_eq!(parts, new);
                seen[start..start + size].fill(true);
            }
            let mut end = 0;
            for (start, next) in ranges.0 {
                assert!(start < next && (start > end || end == 0), "not merged");
                end = next;
            }
        }
    }

    #[test]
    fn a_range_at_the_end_of_numbers_is_cut() {
        let mut ranges = Ranges::default();
        assert_eq!(ranges.add(u64::MAX - 4, 100), [(u64::MAX - 4, 4)]);
        assert_eq!(ranges.add(0, u64::MAX), [(0, u64::MAX - 4)]);
    }
}
