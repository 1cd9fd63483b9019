//! The functions that a module was asked for.

use super::{chain::Chain, function::Function};
use core::{
    any::TypeId,
    hash::{Hash, Hasher},
};
use std::boxed::Box;

/// How many chains there are: a module of a hundred kernels has one or two in each.
const CHAINS: usize = 64;

/// The functions that a module was asked for, by the type of their arguments and the name that was given. It is read without a
/// lock, and only grows: what it holds is verified, and stays right as long as the module is loaded.
pub(super) struct KernelCache {
    chains: [Chain<Cached>; CHAINS],
}

struct Cached {
    hash: u64,
    /// The erased struct; `None` for an untyped function.
    arguments: Option<TypeId>,
    entry: Box<str>,
    function: Function,
}

impl Cached {
    fn is(&self, hash: u64, arguments: Option<TypeId>, entry: &str) -> bool {
        self.hash == hash && self.arguments == arguments && *self.entry == *entry
    }
}

impl KernelCache {
    pub(super) const fn new() -> Self {
        Self {
            chains: [const { Chain::new() }; CHAINS],
        }
    }

    fn chain(&self, hash: u64) -> &Chain<Cached> {
        // The high bits of a product depend on all bits of its factors.
        &self.chains[(hash >> (u64::BITS - CHAINS.ilog2())) as usize]
    }

    /// The function that was inserted for these.
    #[inline]
    pub(super) fn get(&self, arguments: Option<TypeId>, entry: &str) -> Option<&Function> {
        let hash = hash(arguments, entry);
        self.chain(hash)
            .iter()
            .find(|cached| cached.is(hash, arguments, entry))
            .map(|cached| &cached.function)
    }

    /// Keeps a function, unless another thread was faster; returns the one that is kept.
    pub(super) fn insert(
        &self,
        arguments: Option<TypeId>,
        entry: &str,
        function: &Function,
    ) -> &Function {
        let hash = hash(arguments, entry);
        let cached = Cached {
            hash,
            arguments,
            entry: entry.into(),
            function: function.clone(),
        };
        let same = |a: &Cached, b: &Cached| a.is(b.hash, b.arguments, &b.entry);
        &self.chain(hash).push(cached, same).function
    }
}

fn hash(arguments: Option<TypeId>, entry: &str) -> u64 {
    let mut words = Words(0);
    arguments.hash(&mut words);
    words.write(entry.as_bytes());
    words.0
}

/// A hash of few instructions, as rustc's own tables have it. The names are the program's, so nobody chooses them to collide; if
/// all did, a look-up would be slow, not wrong.
struct Words(u64);

impl Words {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Words {
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

    fn finish(&self) -> u64 {
        self.0
    }
}
