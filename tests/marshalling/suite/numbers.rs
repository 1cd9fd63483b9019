//! Random numbers.

/// Random numbers, many of them close to 0 or to a power of two.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn edge(&mut self) -> i128 {
        let power = 1_i128 << (self.next() % 66);
        let near = i128::from(self.next() % 5) - 2;
        match self.next() % 4 {
            0 => near,
            1 => power + near,
            2 => -power + near,
            _ => i128::from(self.next()),
        }
    }
}
