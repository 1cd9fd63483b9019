//! The heap of kernels: `malloc` and `free`.

use std::collections::BTreeMap;

/// The memory from which kernels allocate. It stays from launch to launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    pub(crate) start: u64,
    pub(crate) length: u64,
    /// The sizes of allocations by their addresses.
    used: BTreeMap<u64, u64>,
}

impl Heap {
    pub(crate) fn new(start: u64, length: u64) -> Self {
        Self { start, length, used: BTreeMap::new() }
    }

    /// The address of `size` bytes, or 0.
    pub(super) fn allocate(&mut self, size: u64) -> u64 {
        let Some(size) = size.max(1).checked_next_multiple_of(16) else { return 0 };
        let mut at = self.start;
        for (start, length) in &self.used {
            if start - at >= size {
                break;
            }
            at = start + length;
        }
        if self.start + self.length - at < size {
            return 0;
        }
        self.used.insert(at, size);
        at
    }

    /// Whether there was such an allocation.
    pub(super) fn free(&mut self, address: u64) -> bool {
        address == 0 || self.used.remove(&address).is_some()
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
}
