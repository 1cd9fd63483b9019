//! Random numbers from a seed.

/// SplitMix64 (Steele, Lea, Flood, 2014). Golden tables and corpora need the same numbers forever, and crates for
/// random numbers do not guarantee that across versions.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Stream `stream` of `seed`. Different streams are independent.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = Self(seed);
        let mixed = rng.next_u64();
        Self(mixed ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which must not be zero.
    #[allow(clippy::missing_panics_doc, reason = "what is below a `usize` is one")]
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next_u64() % limit as u64).expect("it is below a usize")
    }

    /// `true` with this probability in percent.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, which must not be empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
