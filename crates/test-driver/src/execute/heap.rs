//! The heap of kernels: `malloc` and `free`.

use std::collections::{BTreeMap, BTreeSet};

/// The memory from which kernels allocate. It stays from launch to launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    pub(crate) start: u64,
    pub(crate) length: u64,
    /// The sizes of allocations by their addresses.
    used: BTreeMap<u64, u64>,
    /// The sizes of free parts by their addresses, and the same parts by their sizes.
    free: BTreeMap<u64, u64>,
    sizes: BTreeSet<(u64, u64)>,
}

impl Heap {
    pub(crate) fn new(start: u64, length: u64) -> Self {
        let mut heap = Self { start, length, ..Self::default() };
        heap.add(start, length);
        heap
    }

    fn add(&mut self, at: u64, length: u64) {
        self.free.insert(at, length);
        self.sizes.insert((length, at));
    }

    /// Returns the address of `size` bytes, or 0.
    pub(super) fn allocate(&mut self, size: u64) -> u64 {
        let Some(size) = size.max(1).checked_next_multiple_of(16) else { return 0 };
        let Some((length, at)) = self.sizes.range((size, 0)..).next().copied() else { return 0 };
        self.take(at, length);
        if length > size {
            self.add(at + size, length - size);
        }
        self.used.insert(at, size);
        at
    }

    fn take(&mut self, at: u64, length: u64) {
        self.free.remove(&at);
        self.sizes.remove(&(length, at));
    }

    /// Returns whether there was such an allocation.
    pub(super) fn free(&mut self, address: u64) -> bool {
        if address == 0 {
            return true;
        }
        let Some(mut length) = self.used.remove(&address) else { return false };
        let mut start = address;
        let before = self.free.range(..address).next_back().map(|(at, length)| (*at, *length));
        if let Some((at, size)) = before.filter(|(at, size)| at + size == address) {
            self.take(at, size);
            (start, length) = (at, length + size);
        }
        if let Some(size) = self.free.get(&(start + length)).copied() {
            self.take(start + length, size);
            length += size;
        }
        self.add(start, length);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_when_it_is_freed() {
        let mut heap = Heap::new(0x1000, 64);
        let all = [20, 1, 16].map(|size| heap.allocate(size));
        assert_eq!(all, [0x1000, 0x1020, 0x1030]);
        assert_eq!((heap.allocate(1), heap.allocate(u64::MAX)), (0, 0), "it is full");
        assert!(heap.free(0x1020) && !heap.free(0x1020) && heap.free(0) && !heap.free(0x1001));
        assert_eq!((heap.allocate(17), heap.allocate(16)), (0, 0x1020));
    }

    #[test]
    fn allocations_do_not_overlap_and_leave_one_free_part() {
        let mut heap = Heap::new(0x1000, 1 << 20);
        let mut held: Vec<(u64, u64)> = Vec::new();
        let mut state = 7u64;
        for _ in 0..5000 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let random = state >> 33;
            if random.is_multiple_of(3) && !held.is_empty() {
                let (at, _) = held.swap_remove(random as usize % held.len());
                assert!(heap.free(at));
                continue;
            }
            let size = random % 3000;
            let at = heap.allocate(size);
            if at != 0 {
                assert!(at >= 0x1000 && at + size <= 0x1000 + (1 << 20), "{at:#x}");
                assert!(held.iter().all(|(other, length)| at + size.max(1) <= *other || other + length.max(&1) <= at));
                held.push((at, size));
            }
        }
        for (at, _) in held {
            assert!(heap.free(at));
        }
        assert_eq!(heap.free, BTreeMap::from([(0x1000, 1 << 20)]));
    }
}
