//! A fast hash, like the hash of the rustc tables.

use core::hash::Hasher;

/// Its inputs are names and types of user code. Collisions make a search slow, not wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    pub(crate) const fn new(first: u64) -> Self {
        Self(first)
    }

    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    /// Returns the top `bits` of the hash: the high bits of a product depend on all bits of its factors.
    #[inline]
    pub(crate) fn top(self, bits: u32) -> usize {
        (self.0 >> (u64::BITS - bits)) as usize
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    #[inline]
    fn write_isize(&mut self, word: isize) {
        self.add(word.cast_unsigned() as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
