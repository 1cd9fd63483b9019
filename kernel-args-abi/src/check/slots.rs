//! Finding things by a hash while a program compiles, where there is no heap.

/// Indices by hashes of what stands at them: a table with open addressing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots<const N: usize> {
    /// An index and 1; 0 where there is none.
    slots: [u16; N],
    left: usize,
}

impl<const N: usize> Slots<N> {
    pub(super) const fn new() -> Self {
        Self {
            slots: [0; N],
            left: N / 4 * 3,
        }
    }

    /// Appends an index, unless three quarters of the slots are taken.
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

    /// Whether something may be missing.
    pub(super) const fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Where the search for a hash begins.
    pub(super) const fn find(&self, hash: u64) -> Found<'_, N> {
        Found {
            slots: self,
            at: hash as usize % N,
        }
    }
}

/// What was inserted with a hash, in that order, and with others between.
pub(super) struct Found<'a, const N: usize> {
    slots: &'a Slots<N>,
    at: usize,
}

impl<const N: usize> Found<'_, N> {
    pub(super) const fn next(&mut self) -> Option<usize> {
        let found = self.slots.slots[self.at];
        self.at = (self.at + 1) % N;
        if found == 0 {
            None
        } else {
            Some(found as usize - 1)
        }
    }
}

/// How many before and after one are looked at where there was no room for all.
pub(super) const NEAR: usize = 64;

/// FNV-1a of some bytes, one step for each: [`NOTHING`] is that of none. It is written out where it is used, in operators: each call
/// takes rustc as long as some dozens of them.
macro_rules! hash_more {
    ($hash:ident, $byte:expr) => {
        $hash = ($hash ^ $byte as u64) * 0x0100_0193 & 0xffff_ffff
    };
}
pub(super) use hash_more;

/// The hash of no bytes.
pub(super) const NOTHING: u64 = 0x811c_9dc5;

/// The hash of a text.
pub(super) const fn hash(text: &[u8]) -> u64 {
    let (mut hash, mut i) = (NOTHING, 0);
    while i < text.len() {
        hash_more!(hash, text[i]);
        i += 1;
    }
    hash
}
