//! A hash table for constant evaluation, which has no heap.

#[derive(Clone, Copy, Debug)]
pub(super) struct Slots<const N: usize> {
    /// The index plus 1, or 0 for an empty slot.
    slots: [u16; N],
    left: usize,
}

impl<const N: usize> Slots<N> {
    pub(super) const fn new() -> Self {
        Self { slots: [0; N], left: N / 4 * 3 }
    }

    /// Inserts an index, unless three quarters of the slots are full.
    pub(super) const fn insert(&mut self, hash: u64, index: usize) {
        if self.left == 0 || index >= u16::MAX as usize {
            return;
        }
        self.left -= 1;
        let mut at = hash as usize % N;
        while self.slots[at] != 0 {
            at = (at + 1) % N;
        }
        self.slots[at] = index as u16 + 1;
    }

    pub(super) const fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Returns the next index that was inserted with a hash, in order, and possibly more. `at` is the hash at first.
    pub(super) const fn next(&self, at: &mut u64) -> Option<usize> {
        let found = self.slots[*at as usize % N];
        *at += 1;
        (found as usize).checked_sub(1)
    }
}

/// The number of neighbours on each side that are searched if the table is full.
pub(super) const NEAR: usize = 64;

/// FNV-1a, one step per byte, starting from [`NOTHING`].
macro_rules! hash_more {
    ($hash:ident, $byte:expr) => {
        $hash = ($hash ^ $byte as u64) * 0x0100_0193 & 0xffff_ffff
    };
}
pub(super) use hash_more;

pub(super) const NOTHING: u64 = 0x811c_9dc5;

pub(super) const fn hash(text: &[u8]) -> u64 {
    let (mut hash, mut i) = (NOTHING, 0);
    while i < text.len() {
        hash_more!(hash, text[i]);
        i += 1;
    }
    hash
}
