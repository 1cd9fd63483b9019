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
